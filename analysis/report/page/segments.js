import { el } from "./dom.js";
import { formatNumber, formatValue } from "./format.js";
import { chooseCell, state } from "./state.js";

export const kUses = { own: "as written", trial: "trial", kept: "kept" };

export const total = ({ loading, training }) => (loading ?? 0) + (training ?? 0);

export function timeText(seconds) {
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const [large, small, words] = seconds < 7200 ? [60, 1, ["min", "s"]] : [3600, 60, ["h", "min"]];
  return `${Math.floor(seconds / large)} ${words[0]} ${Math.floor((seconds % large) / small)} ${words[1]}`;
}

// Names the settings that vary among the segments, and always num_workers.
function namer(segments) {
  const text = (segment, name) => String(segment.settings[name] ?? "");
  const names = Object.keys(segments[0].settings).filter((name) =>
    name === "num_workers" || new Set(segments.map((one) => text(one, name)).filter((one) => one !== "")).size > 1);
  return (segment) => names.filter((name) => text(segment, name) !== "").map((name) => `${name}=${text(segment, name)}`).join(" ");
}

/// Links points to their segment, and segments to their cell.
export function readHistory(loader) {
  const name = namer(loader.segments);
  const segments = loader.segments.map((one, at) => ({ ...one, number: at + 1, name: name(one), cell: state.run.cellWith(one.settings) }));
  const begins = segments.map(({ begin }) => begin);
  const { begin, end, loading, training, gpu_idle: idle } = loader.points;
  const points = begin.map((time, i) => ({ begin: time, end: end[i], loading: loading[i], training: training[i], idle: idle[i],
    segment: segments[Math.max(0, d3.bisectRight(begins, time) - 1)] }));
  return { segments, points, epochs: loader.epochs, hasIdle: idle.some((share) => share !== null) };
}

export const extent = ({ segments, points, epochs }) => [Math.min(segments[0].begin, epochs[0]?.[0] ?? Infinity), d3.max([...segments, ...points], ({ end }) => end)];

/// The time span of all trials with a margin; null if it is most of the run.
export function whileTuning({ segments, points, epochs }) {
  const trials = segments.filter(({ use }) => use === "trial");
  if (trials.length === 0) return null;
  const [begin, end] = [trials[0].begin, trials[trials.length - 1].end];
  if (end <= begin) return null;
  const slack = 0.2 * (end - begin);
  const whole = extent({ segments, points, epochs });
  return end - begin + 2 * slack < 0.6 * (whole[1] - whole[0]) ? [Math.max(whole[0], begin - slack), Math.min(whole[1], end + slack)] : null;
}

export function segmentTable(segments, hasIdle) {
  const columns = [["", ({ number }) => number], ["settings", ({ name }) => name], ["", ({ use }) => kUses[use]], ["from", ({ begin }) => timeText(begin), true],
    ["to", ({ end }) => timeText(end), true], ["steps", ({ steps }) => formatValue(steps, "count"), true], ["loading", ({ loading }) => formatValue(loading, "s"), true],
    ["training", ({ training }) => formatValue(training, "s"), true]];
  if (hasIdle) columns.push(["GPU idle", ({ gpu_idle: idle }) => formatValue(idle, "ratio"), true]);
  columns.push(["samples/s", ({ samples_per_second: rate }) => formatNumber(rate), true]);
  if (segments.some(({ problem }) => problem)) columns.push(["failed", ({ problem }) => problem]);
  const kind = (isNumber) => ({ class: isNumber ? "number" : null });
  const row = (segment) => el("tr", { class: segment.use === "kept" ? "proposed" : null, tabindex: segment.cell ? 0 : null, click: () => segment.cell && chooseCell(segment.cell),
    keydown: (event) => event.key === "Enter" && segment.cell && chooseCell(segment.cell) }, columns.map(([, text, isNumber]) => el("td", kind(isNumber), text(segment))));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of segments" }, el("table", { class: "segments" },
    el("thead", {}, el("tr", {}, columns.map(([title, , isNumber]) => el("th", { scope: "col", ...kind(isNumber) }, title)))), el("tbody", {}, segments.map(row))));
}
