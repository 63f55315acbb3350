// A line after every num_workers batches shows the period in which workers deliver.
import { chartCard } from "./card.js";
import { select } from "./dom.js";
import { formatValue, tickText } from "./format.js";
import { bottomAxis, frame, leftAxis, message } from "./frame.js";
import { kNoSeries, startsOf } from "./series.js";
import { state } from "./state.js";

const kMostRounds = 60;
let chosen = 0;

function controls(card) {
  const count = state.cell ? startsOf(state.cell).length : 0;
  chosen = Math.min(chosen, Math.max(0, count - 1));
  if (count < 2) return [];
  const starts = d3.range(count).map((at) => [String(at), `${at + 1} of ${count}`]);
  return [select("Repeat", starts, String(chosen), (value) => { chosen = Number(value); card.redraw(); })];
}

function drawRounds(chart, x, count, workers) {
  if (!(workers > 1) || count / workers > kMostRounds) return;
  chart.plot.append("g").attr("class", "rounds").selectAll("line").data(d3.range(workers, count, workers)).join("line")
    .attr("x1", x).attr("x2", x).attr("y2", chart.height);
}

function tip(start, at) {
  const loading = start.loading[at];
  const training = start.training[at] ?? 0;
  return { at, loading, training, title: `step ${at + 1}`, rows: [["loading", formatValue(loading, "s")], ["training", formatValue(training, "s")], ["step", formatValue(loading + training, "s")]] };
}

export const timeline = () => chartCard({
  id: "timeline",
  title: "Step by step",
  hint: "One repeat of the selected cell. Faint lines separate groups of num_workers batches: if workers cannot keep up, one step of each group waits for all others.",
  reset: ["run", "cell"],
  controls,
  draw(area) {
    const starts = state.cell ? startsOf(state.cell) : [];
    if (starts.length === 0) return message(area, state.cell?.isMeasured ? kNoSeries : "The selected cell was not measured.");
    const start = starts[Math.min(chosen, starts.length - 1)];
    const count = start.loading.length;
    const tips = d3.range(count).map((at) => tip(start, at));
    const chart = frame(area, { label: "Loading and training time, step by step", height: 200, legend: [{ text: "loading", colour: "var(--loading)" }, { text: "training", colour: "var(--training)" }] });
    const x = d3.scaleLinear([0, count], [0, chart.width]);
    const y = d3.scaleLinear([0, d3.max(tips, ({ loading, training }) => loading + training)], [chart.height, 0]).nice();
    leftAxis(chart, y, { format: tickText("s"), text: "time per step" });
    bottomAxis(chart, x, { format: String, text: "measured step" });
    drawRounds(chart, x, count, Number(state.cell.setting("num_workers")));
    const width = Math.max(0.8, chart.width / count - (count < chart.width / 4 ? 1 : 0));
    const steps = chart.plot.selectAll(".mark").data(tips).join("g").attr("class", "mark").attr("transform", ({ at }) => `translate(${x(at)},0)`);
    steps.append("rect").attr("class", "hit").attr("width", width).attr("height", chart.height);
    steps.append("rect").attr("class", "bar").attr("fill", "var(--loading)").attr("width", width)
      .attr("y", ({ loading }) => y(loading)).attr("height", ({ loading }) => chart.height - y(loading));
    steps.append("rect").attr("class", "bar").attr("fill", "var(--training)").attr("width", width)
      .attr("y", ({ loading, training }) => y(loading + training)).attr("height", ({ training }) => chart.height - y(training));
    return state.cell.shortName;
  },
});
