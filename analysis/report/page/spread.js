import { chartCard } from "./card.js";
import { formatValue, tickText } from "./format.js";
import { bottomAxis, cellLabels, frame, leftAxis, message } from "./frame.js";
import { allSteps, kNoSeries } from "./series.js";
import { shownCells, state } from "./state.js";
import { cellTip } from "./tip.js";

const kShown = 10;
const kRow = 32;
const kMarks = [["step_time_p50", "median"], ["step_time_p90", "p90"], ["step_time_p99", "p99"], ["step_time_max", "max"]];

function compared() {
  const cells = shownCells().filter((cell) => cell.metric("step_time_p50") !== null);
  const shown = cells.slice(0, kShown);
  if (state.cell && !shown.includes(state.cell) && state.cell.metric("step_time_p50") !== null) shown.push(state.cell);
  return shown;
}

export const spread = () => chartCard({
  id: "spread",
  title: "Variation of the step times",
  hint: "Step times of the fastest cells and the selected cell. Bar: median to p90; line: to p99. Long lines are stalls.",
  draw(area) {
    const cells = compared();
    if (cells.length === 0) return message(area, "No cell shown has percentiles of step times.");
    const chart = frame(area, { label: "Percentiles of the step times", height: cells.length * kRow, margin: { top: 8, left: 8, right: 16 },
      legend: [{ text: "median to p90", colour: "var(--training)" }, { text: "to p99", colour: "var(--muted)", line: true }] });
    const { label, note } = cellLabels(cells, chart.width - 8);
    const x = d3.scaleLinear([0, 1.05 * d3.max(cells, (cell) => cell.metric("step_time_p99") ?? cell.metric("step_time_p50"))], [0, chart.width]);
    bottomAxis(chart, x, { format: tickText("s"), text: "time per step" });
    const tip = (cell) => cellTip(cell, kMarks.filter(([tag]) => cell.metric(tag) !== null).map(([tag, name]) => [name, formatValue(cell.metric(tag), "s")]));
    const rows = chart.plot.selectAll(".mark").data(cells.map(tip)).join("g").attr("class", "mark")
      .classed("chosen", ({ cell }) => cell === state.cell).attr("transform", (_, i) => `translate(0,${i * kRow})`);
    const at = (tag, fallback = "step_time_p50") => ({ cell }) => x(cell.metric(tag) ?? cell.metric(fallback));
    rows.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
    rows.append("text").attr("y", 11).text(({ cell }) => label(cell));
    rows.append("line").attr("class", "whisker").attr("stroke", "var(--muted)").attr("y1", 22).attr("y2", 22).attr("x1", at("step_time_p90")).attr("x2", at("step_time_p99"));
    rows.append("rect").attr("class", "bar").attr("y", 17).attr("height", 10).attr("fill", "var(--training)").attr("x", at("step_time_p50"))
      .attr("width", (datum) => Math.max(3, at("step_time_p90")(datum) - at("step_time_p50")(datum)));
    return note;
  },
});

// Bin width by Freedman and Diaconis, within limits. The last bin has the far tail.
function makeBins(steps) {
  const sorted = steps.slice().sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const low = sorted[0];
  const top = Math.max(at(0.99), low * 1.001);
  const width = (2 * (at(0.75) - at(0.25))) / Math.cbrt(sorted.length);
  const count = Math.max(8, Math.min(60, Math.round((top - low) / (width || (top - low) / 20))));
  const bins = d3.range(count).map((i) => ({ from: low + (i * (top - low)) / count, to: low + ((i + 1) * (top - low)) / count, steps: 0 }));
  for (const step of sorted) bins[Math.min(count - 1, Math.floor(((step - low) / (top - low)) * count))].steps += 1;
  bins[count - 1].to = Math.max(top, sorted[sorted.length - 1]);
  return { bins, top };
}

export const histogram = () => chartCard({
  id: "histogram",
  title: "Step times of the selected cell",
  hint: "All measured steps of all repeats.",
  draw(area) {
    const steps = state.cell ? allSteps(state.cell) : [];
    if (steps.length === 0) return message(area, state.cell?.isMeasured ? kNoSeries : "The selected cell was not measured.");
    const { bins, top } = makeBins(steps);
    const chart = frame(area, { label: "Histogram of step times", height: 220 });
    const x = d3.scaleLinear([bins[0].from, top], [0, chart.width]);
    const y = d3.scaleLinear([0, d3.max(bins, (bin) => bin.steps)], [chart.height, 0]).nice();
    leftAxis(chart, y, { format: tickText(), text: "steps" });
    bottomAxis(chart, x, { format: tickText("s"), text: "time per step" });
    const tips = bins.map((bin) => ({ bin, title: `${formatValue(bin.from, "s")} to ${formatValue(bin.to, "s")}`, rows: [["steps", String(bin.steps)], ["share", formatValue(bin.steps / steps.length, "ratio")]] }));
    chart.plot.selectAll(".mark").data(tips).join("rect").attr("class", "mark bar").attr("fill", "var(--training)")
      .attr("x", ({ bin }) => x(bin.from) + 0.5).attr("width", Math.max(1, chart.width / bins.length - 1))
      .attr("y", ({ bin }) => y(bin.steps)).attr("height", ({ bin }) => chart.height - y(bin.steps));
    const bursts = state.cell.setting("num_workers") > 0 ? " Two peaks show a burst pattern: steps with a batch ready, and steps that wait." : "";
    return `${state.cell.shortName}: ${steps.length} steps; the slowest took ${formatValue(bins[bins.length - 1].to, "s")}.${bursts}`;
  },
});
