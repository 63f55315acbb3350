import { chartCard } from "./card.js";
import { heatColour } from "./colours.js";
import { formatNumber, formatValue, tickText } from "./format.js";
import { bottomAxis, frame, message, shorten, textWidth } from "./frame.js";
import { state } from "./state.js";

const kTrack = 64;
const kGap = 34;
const kTarget = 0.9;
const kWords = 104;  // Offset of the labels, after the longest title.

const perSecond = (value) => `${formatValue(value, "bytes")}/s`;
const bytes = (value) => formatValue(value, "bytes");
const cpus = (value) => `${formatNumber(value)} CPUs`;
const share = (value) => formatValue(value, "ratio");
const perSecondTick = (value) => (value === 0 ? "0" : `${tickText("bytes")(value)}/s`);

/// Lines of a track: [name of the series, label, color, filled].
const kTracks = [
  { title: "CPU", clock: "time", text: cpus, tick: tickText(), lines: [["cpu_total", "all", "var(--faint)", false],
    ["cpu_workers", "workers", "var(--series-1)", true], ["cpu_main", "main", "var(--series-0)", true]] },
  { title: "GPU", clock: "gpu_time", text: share, tick: tickText("ratio"), top: 1, target: kTarget, lines: [["gpu_utilisation", "a kernel ran", "var(--series-2)", true]] },
  { title: "GPU memory", clock: "gpu_time", text: bytes, tick: tickText("bytes"), lines: [["gpu_memory", "of all programs", "var(--series-2)", true]] },
  { title: "Memory", clock: "memory_time", text: bytes, tick: tickText("bytes"), lines: [["memory", "PSS of all processes", "var(--series-3)", true]] },
  { title: "Page cache", clock: "time", text: bytes, tick: tickText("bytes"), lines: [["page_cache", "files in memory", "var(--series-5)", true]] },
  { title: "Disk", clock: "time", text: perSecond, tick: perSecondTick, quiet: true,
    lines: [["disk_read", "read", "var(--series-0)", true], ["disk_written", "written", "var(--series-1)", false]] },
  { title: "Network", clock: "time", text: perSecond, tick: perSecondTick, quiet: true,
    lines: [["network_received", "received", "var(--series-0)", true], ["network_sent", "sent", "var(--series-1)", false]] },
];

const coresOf = (seen) => Object.keys(seen).filter((name) => name.startsWith("cpu_core_"))
  .sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));

function tracksOf(seen) {
  const there = kTracks.filter(({ lines }) => seen[lines[0][0]]?.length > 0);
  const isIdle = ({ quiet, lines }) => quiet && lines.every(([name]) => d3.max(seen[name]) === 0);
  return { shown: there.filter((track) => !isIdle(track)), idle: there.filter(isIdle) };
}

// Labels with a patch of their color, shortened equally if they do not fit.
function heading(group, title, lines, width) {
  group.append("text").attr("class", "title").attr("y", -9).text(title);
  const isNarrow = kWords + d3.sum(lines, ([, text]) => textWidth(text) + 33) > width;
  let at = isNarrow ? 1.15 * textWidth(title) + 14 : kWords;
  const gap = isNarrow ? 8 : 18;
  const room = (width - at) / lines.length - 15 - gap;
  for (const [, words, colour] of lines) {
    const text = isNarrow ? shorten(words, room) : words;
    group.append("rect").attr("x", at).attr("y", -18).attr("width", 10).attr("height", 10).attr("fill", colour);
    group.append("text").attr("class", "value").attr("x", at + 15).attr("y", -9).text(text);
    at += 15 + textWidth(text) + gap;
  }
}

function drawProcesses(group, seen, x, y) {
  for (const name of Object.keys(seen).filter((one) => one.startsWith("cpu_process_"))) {
    group.append("path").attr("class", "thin line").attr("stroke", "var(--series-1)").attr("d", d3.line().x((_, i) => x(seen.time[i])).y((value) => y(value))(seen[name]));
  }
}

function drawTrack(group, track, seen, x) {
  const times = seen[track.clock];
  const top = track.top ?? 1.08 * d3.max(track.lines, ([name]) => d3.max(seen[name] ?? []));
  const y = d3.scaleLinear([0, top || 1], [kTrack, 0]);
  heading(group, track.title, track.lines.filter(([name]) => seen[name]), x.range()[1]);
  group.append("g").attr("class", "axis grid").call(d3.axisLeft(y).ticks(3).tickSize(-x.range()[1]).tickPadding(6).tickFormat(track.tick))
    .call((axis) => axis.select(".domain").remove());
  if (track.target) group.append("line").attr("class", "aim").attr("x2", x.range()[1]).attr("y1", y(track.target)).attr("y2", y(track.target));
  if (track.title === "CPU") drawProcesses(group, seen, x, y);
  for (const [name, , colour, isFilled] of track.lines) {
    if (!seen[name]) continue;
    const at = (_, i) => x(times[i]);
    if (isFilled) group.append("path").attr("class", "area-of").attr("fill", colour).attr("d", d3.area().x(at).y0(kTrack).y1((value) => y(value))(seen[name]));
    group.append("path").attr("class", "line").attr("stroke", colour).attr("d", d3.line().x(at).y((value) => y(value))(seen[name]));
  }
}

function drawCores(group, cores, seen, x, row) {
  group.append("text").attr("class", "title").attr("y", -9).text("CPU cores");
  group.append("text").attr("class", "value").attr("x", kWords).attr("y", -9).text(`${cores.length}, dark: idle, light: busy`);
  const times = [0, ...seen.time];
  for (const [at, name] of cores.entries()) {
    group.append("g").selectAll("rect").data(seen[name]).join("rect").attr("x", (_, i) => x(times[i])).attr("y", at * row)
      .attr("width", (_, i) => Math.max(0, x(times[i + 1]) - x(times[i])) + 0.5).attr("height", Math.max(1, row - 1)).attr("fill", heatColour);
  }
}

// For series with clocks of their own, takes the last known value.
function tips(seen, tracks, cores) {
  return seen.time.map((time, i) => ({
    title: `after ${formatValue(time, "s")}`,
    rows: tracks.flatMap(({ clock, text, title, lines }) => lines.filter(([name]) => seen[name]).map(([name, words]) => {
      const at = clock === "time" ? i : Math.min(seen[name].length - 1, Math.max(0, d3.bisectRight(seen[clock], time) - 1));
      return [`${title}, ${words}`, text(seen[name][at])];
    })).concat(cores.length > 0 ? [["busiest core", share(d3.max(cores, (name) => seen[name][i]))]] : []),
  }));
}

function drawMarks(chart, x, seen, data) {
  const times = [0, ...seen.time];
  chart.plot.selectAll(".mark").data(data).join("g").attr("class", "mark").append("rect").attr("class", "hit")
    .attr("x", (_, i) => x(times[i])).attr("width", (_, i) => Math.max(0, x(times[i + 1]) - x(times[i]))).attr("height", chart.height);
}

function note(seen, idle) {
  const notes = [state.cell.shortName, "the last repeat"];
  if (idle.length > 0) notes.push(`no traffic on the ${idle.map(({ title }) => title.toLowerCase()).join(" and ")}`);
  const cost = state.cell.metric("monitor_cpu");
  if (cost !== null) notes.push(`monitoring used ${(100 * cost).toFixed(2)} % of a CPU`);
  return `${notes.join("; ")}.`;
}

export const monitor = () => chartCard({
  id: "monitor",
  title: "Machine monitor",
  hint: "Shaded: from the first discarded step to the last measured step. If the GPU is below 90 % (dashed line) and the CPU is idle, storage or the settings are the limit; if all cores are busy, the CPU is.",
  on: ["cell"],
  draw(area) {
    const seen = state.cell?.raw.monitor;
    if (!(seen?.time?.length > 0)) return message(area, "The machine was not monitored while this cell ran: measure.monitor was false, the cell was too short, or the result is a CSV.");
    const { shown, idle } = tracksOf(seen);
    const cores = coresOf(seen);
    const row = Math.max(3, Math.min(12, 96 / cores.length));
    const strip = cores.length > 0 ? cores.length * row + kGap : 0;
    const height = shown.length * (kTrack + kGap) + strip - kGap;
    const chart = frame(area, { label: "The machine while the cell ran", height, margin: { left: 76 } });
    const end = d3.max(["time", ...shown.map(({ clock }) => clock)], (clock) => d3.max(seen[clock]));
    const x = d3.scaleLinear([0, end], [0, chart.width]);
    if (seen.window?.length === 2) {
      const [begin, end] = seen.window;
      chart.plot.append("rect").attr("class", "window").attr("x", x(begin)).attr("width", Math.max(0, x(Math.min(end, x.domain()[1])) - x(begin))).attr("height", height);
    }
    let y = 0;
    for (const track of shown) {
      drawTrack(chart.plot.append("g").attr("class", "track").attr("transform", `translate(0,${y})`), track, seen, x);
      y += kTrack + kGap;
      if (track.title !== "CPU" || cores.length === 0) continue;
      drawCores(chart.plot.append("g").attr("class", "track").attr("transform", `translate(0,${y})`), cores, seen, x, row);
      y += strip;
    }
    bottomAxis(chart, x, { format: (value) => `${value} s`, text: "since the cell began" });
    drawMarks(chart, x, seen, tips(seen, shown, cores));
    return note(seen, idle);
  },
});
