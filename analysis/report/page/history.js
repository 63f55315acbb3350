// Bars are medians, as wide as their time span; pauses are empty.
import { chartCard } from "./card.js";
import { select } from "./dom.js";
import { formatNumber, formatValue, tickText } from "./format.js";
import { bottomAxis, frame, leftAxis, message, roomyTicks } from "./frame.js";
import { extent, kUses, readHistory, segmentTable, timeText, total, whileTuning } from "./segments.js";
import { state } from "./state.js";

const kHeight = 220;
const kIdle = 54;
const kGap = 34;
const kMostEpochs = 60;
const kUnits = [[7200, 3600, "hours"], [120, 60, "minutes"], [0, 1, "seconds"]];
let chosen = 0;
let isClose = false;

const loaders = () => state.run.raw.history?.loaders ?? [];

// Points that are far above all others and all segments are cut off, since they are pauses.
function topOf(points, segments) {
  return 1.05 * Math.max(d3.quantile(points.map(total), 0.98) ?? 0, d3.max(segments, total) ?? 0);
}

function controls(card) {
  const all = loaders();
  chosen = Math.min(chosen, Math.max(0, all.length - 1));
  const boxes = [];
  if (all.length > 1) boxes.push(select("Loader", all.map(({ loader }, at) => [String(at), loader]), String(chosen), (value) => { chosen = Number(value); card.reset(); }));
  if (all.length > 0 && whileTuning(readHistory(all[chosen]))) {
    boxes.push(select("Time", [["whole", "the whole run"], ["close", "while tuning"]], isClose ? "close" : "whole", (value) => { isClose = value === "close"; card.redraw(); }));
  } else {
    isClose = false;
  }
  return boxes;
}

function pointTip(point) {
  const rows = [["loading", formatValue(point.loading, "s")], ["training", formatValue(point.training, "s")], ["step", formatValue(total(point), "s")]];
  if (point.idle !== null) rows.push(["GPU idle", formatValue(point.idle, "ratio")]);
  return { ...point, cell: point.segment.cell, title: `${timeText(point.begin)} to ${timeText(point.end)}`, rows: [...rows, ["settings", point.segment.name]] };
}

function segmentTip(segment) {
  const rows = [["at", timeText(segment.begin)], ["settings", kUses[segment.use]]];
  if (segment.samples_per_second !== null) rows.push(["rate", `${formatNumber(segment.samples_per_second)} samples/s`]);
  if (segment.problem) rows.push(["failed", segment.problem]);
  return { ...segment, title: segment.name, rows };
}

function drawPoints(chart, points, x, y) {
  const marks = chart.plot.append("g").selectAll("g").data(points.map(pointTip)).join("g").attr("class", "mark");
  const bar = (kind) => marks.append("rect").attr("class", kind).attr("x", ({ begin }) => x(begin))
    .attr("width", ({ begin, end }) => Math.max(0.8, x(end) - x(begin) - (x(end) - x(begin) > 3 ? 0.5 : 0)));
  bar("hit").attr("height", chart.height);
  bar("bar").attr("fill", "var(--loading)").attr("y", ({ loading }) => y(loading)).attr("height", ({ loading }) => kHeight - y(loading));
  bar("bar").attr("fill", "var(--training)").attr("y", (point) => y(total(point))).attr("height", (point) => y(point.loading) - y(total(point)));
}

function drawIdle(chart, points, x) {
  const plot = chart.plot.append("g").attr("transform", `translate(0,${kHeight + kGap})`);
  const y = d3.scaleLinear([0, 1], [kIdle, 0]);
  leftAxis({ ...chart, plot }, y, { format: tickText("ratio"), ticks: 2, text: "GPU idle" });
  plot.selectAll(null).data(points.filter(({ idle }) => idle !== null)).join("rect").attr("class", "idle")
    .attr("x", ({ begin }) => x(begin)).attr("width", ({ begin, end }) => Math.max(0.8, x(end) - x(begin)))
    .attr("y", ({ idle }) => y(idle)).attr("height", ({ idle }) => kIdle - y(idle));
}

function drawSegments(chart, segments, x) {
  const middle = ({ begin, end }) => (x(begin) + x(end)) / 2;
  const layer = chart.plot.append("g");
  layer.selectAll(null).data(segments.filter(({ use }) => use === "trial")).join("rect").attr("class", "window")
    .attr("x", ({ begin }) => x(begin)).attr("width", ({ begin, end }) => Math.max(0, x(end) - x(begin))).attr("height", chart.height);
  layer.selectAll(null).data(roomyTicks(segments, middle, ({ number }) => String(number))).join("text").attr("class", "value")
    .attr("text-anchor", "middle").attr("x", middle).attr("y", -7).text(({ number }) => number);
}

// A switch that failed at once is drawn above the switch back.
function drawSwitches(chart, segments, x) {
  const switches = segments.filter(({ number }) => number > 1).sort((a, b) => Boolean(a.problem) - Boolean(b.problem));
  const marks = chart.plot.append("g").selectAll("g").data(switches.map(segmentTip)).join("g").attr("class", "mark switch");
  for (const kind of ["hit", "aim"]) marks.append("line").attr("class", kind).attr("x1", ({ begin }) => x(begin)).attr("x2", ({ begin }) => x(begin)).attr("y2", chart.height);
}

function drawEpochs(chart, epochs, x) {
  if (epochs.length > kMostEpochs) return;
  chart.plot.append("g").attr("class", "rounds").selectAll("line").data(epochs).join("line")
    .attr("x1", ([begin]) => x(begin)).attr("x2", ([begin]) => x(begin)).attr("y2", chart.height);
}

function note(points, top, epochs) {
  const notes = [];
  const first = d3.median(epochs, ([, seconds]) => seconds);
  if (epochs.length > 0) notes.push(`${epochs.length} epoch${epochs.length > 1 ? "s" : ""} (gray lines); the first batch took ${formatValue(first, "s")}${epochs.length > 1 ? " in the median" : ""}.`);
  const above = points.filter((point) => total(point) > top).length;
  if (above > 0) notes.push(`${above} point${above > 1 ? "s are" : " is"} above the chart.`);
  return notes.join(" ");
}

export const historyChart = () => chartCard({
  id: "history",
  title: "The run",
  hint: "Time breakdown of a step over the run: medians over whole turns of num_workers steps. Dashed: a switch to other settings; shaded: a trial. The first max(num_workers × prefetch_factor, 5) steps after a switch or the begin of an epoch are left out: they take what was prefetched.",
  on: [],
  controls,
  draw(area, card) {
    card.figure.hidden = !state.run.raw.history;
    document.body.classList.toggle("watched", !card.figure.hidden);
    if (loaders().length === 0) return message(area, "No loader had enough steps.");
    const seen = readHistory(loaders()[chosen]);
    const [from, to] = (isClose && whileTuning(seen)) || extent(seen);
    const inTime = (some) => some.filter(({ begin, end }) => end >= from && begin <= to);
    const points = inTime(seen.points);
    const segments = inTime(seen.segments);
    const [, unit, words] = kUnits.find(([least]) => to - from >= least);
    const chart = frame(area, { label: "Loading and training time over the run", height: kHeight + (seen.hasIdle ? kGap + kIdle : 0),
      legend: [{ text: "loading per step", colour: "var(--loading)" }, { text: "training per step", colour: "var(--training)" }] });
    const clock = d3.scaleLinear([from / unit, to / unit], [0, chart.width]).clamp(true);
    const x = (seconds) => clock(seconds / unit);
    const y = d3.scaleLinear([0, topOf(points, segments)], [kHeight, 0]).nice().clamp(true);
    leftAxis({ ...chart, height: kHeight }, y, { format: tickText("s") });
    bottomAxis(chart, clock, { format: String, text: `${words} since the first step` });
    drawSegments(chart, segments, x);
    drawEpochs(chart, seen.epochs.filter(([begin]) => begin >= from && begin <= to), x);
    drawPoints(chart, points, x, y);
    if (seen.hasIdle) drawIdle(chart, points, x);
    drawSwitches(chart, segments.filter(({ begin }) => begin >= from), x);
    area.append(segmentTable(seen.segments, seen.hasIdle));
    return note(points, y.domain()[1], seen.epochs);
  },
});
