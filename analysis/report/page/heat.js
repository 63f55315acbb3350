import { chartCard } from "./card.js";
import { heatColour, heatText } from "./colours.js";
import { columns } from "./data.js";
import { select } from "./dom.js";
import { formatValue } from "./format.js";
import { frame, message, shorten, textWidth } from "./frame.js";
import { shownCells, state } from "./state.js";
import { cellTip } from "./tip.js";

const kMetrics = ["samples_per_second", "loading_time", "training_time", "au", "memory", "first_batch_time", "step_time_p99", "gpu_busy", "data_readiness", "cpu_time"];
const kMoreIsBetter = new Set(["samples_per_second", "au", "gpu_busy", "data_readiness"]);
let chosen = {};

function choice() {
  const knobs = state.run.knobs;
  const x = knobs.includes(chosen.x) ? chosen.x : knobs.includes("num_workers") ? "num_workers" : knobs[0];
  const rest = knobs.filter((name) => name !== x);
  const y = rest.includes(chosen.y) ? chosen.y : rest.includes("format") ? "format" : state.run.mostInfluential(rest);
  return { x, y, metric: chosen.metric ?? "samples_per_second" };
}

function controls(card) {
  const { x, y, metric } = choice();
  const named = (names) => names.map((name) => [name, name]);
  const known = kMetrics.filter((tag) => state.run.choosable.some((cell) => cell.metric(tag) !== null));
  const choose = (key) => (value) => {
    const now = choice();
    // Choosing the other axis' setting swaps the axes.
    if (key === "x" && value === now.y) chosen = { ...now, x: now.y, y: now.x };
    else if (key === "y" && value === now.x) chosen = { ...now, x: now.y, y: now.x };
    else chosen = { ...now, [key]: value };
    const { x: left, y: down } = choice();
    const [xBox, yBox] = card.figure.querySelectorAll("select");
    [xBox.value, yBox.value] = [left, down];
    card.redraw();
  };
  if (!y) return [];
  return [select("Across", named(state.run.knobs), x, choose("x")), select("Down", named(state.run.knobs), y, choose("y")), select("Shows", named(known), metric, choose("metric"))];
}

function bestOfPairs(cells, { x, y, metric }) {
  const better = kMoreIsBetter.has(metric) ? (a, b) => a > b : (a, b) => a < b;
  const best = new Map();
  for (const cell of cells) {
    if (cell.text(x) === "" || cell.text(y) === "" || cell.metric(metric) === null) continue;
    const key = JSON.stringify([cell.text(x), cell.text(y)]);
    const known = best.get(key);
    if (!known || better(cell.metric(metric), known.metric(metric))) best.set(key, cell);
  }
  return [...best.values()];
}

function drawLabels(chart, x, y, across, down) {
  const axis = chart.plot.append("g").attr("class", "axis");
  axis.selectAll(null).data(across).join("text").attr("x", (value) => x(value) + x.bandwidth() / 2).attr("y", chart.height + 16)
    .attr("text-anchor", "middle").text((value) => shorten(value, x.bandwidth() - 2));
  axis.selectAll(null).data(down).join("text").attr("x", -8).attr("y", (value) => y(value) + y.bandwidth() / 2).attr("dy", "0.35em")
    .attr("text-anchor", "end").text((value) => shorten(value, 104));
}

export const heat = () => chartCard({
  id: "heat",
  title: "Two settings",
  hint: "The best cell for each pair of values. Yellow is high, violet is low.",
  controls,
  draw(area) {
    const pick = choice();
    if (!pick.y) return message(area, "A heat map needs two settings that vary.");
    const cells = bestOfPairs(shownCells(), pick);
    if (cells.length === 0) return message(area, `No cell shown has ${pick.x}, ${pick.y} and ${pick.metric}.`);
    const unit = columns.get(pick.metric)?.unit;
    const across = state.run.valuesOf(pick.x, cells).map(String);
    const down = state.run.valuesOf(pick.y, cells).map(String);
    const left = Math.min(110, 16 + d3.max(down, textWidth));
    const chart = frame(area, { label: `${pick.metric} by ${pick.x} and ${pick.y}`, height: Math.min(46, Math.max(22, 300 / down.length)) * down.length, margin: { left } });
    const x = d3.scaleBand(across, [0, chart.width]).padding(0.03);
    const y = d3.scaleBand(down, [0, chart.height]).padding(0.03);
    const [low, high] = d3.extent(cells, (cell) => cell.metric(pick.metric));
    const share = (cell) => (high > low ? (cell.metric(pick.metric) - low) / (high - low) : 0.5);
    const text = (cell) => formatValue(cell.metric(pick.metric), unit === "samples/s" ? "" : unit);
    drawLabels(chart, x, y, across, down);
    chart.plot.append("text").attr("class", "title").attr("x", chart.width / 2).attr("y", chart.height + 36).attr("text-anchor", "middle").text(pick.x);
    chart.plot.append("text").attr("class", "title").attr("x", 4 - left).attr("y", -13).text(pick.y);
    const tiles = chart.plot.selectAll(".mark").data(cells.map((cell) => cellTip(cell, [[pick.metric, formatValue(cell.metric(pick.metric), unit)]]))).join("g")
      .attr("class", "mark").classed("chosen", ({ cell }) => cell === state.cell).attr("transform", ({ cell }) => `translate(${x(cell.text(pick.x))},${y(cell.text(pick.y))})`);
    tiles.append("rect").attr("width", x.bandwidth()).attr("height", y.bandwidth()).attr("rx", 2).attr("fill", ({ cell }) => heatColour(share(cell)));
    tiles.filter(({ cell }) => textWidth(text(cell)) < x.bandwidth() - 4).append("text").attr("x", x.bandwidth() / 2).attr("y", y.bandwidth() / 2).attr("dy", "0.35em")
      .attr("text-anchor", "middle").style("fill", ({ cell }) => heatText(share(cell))).text(({ cell }) => text(cell));
    return unit === "samples/s" ? "samples_per_second, in samples/s." : "";
  },
});
