// Rates over one setting: a line per value of another setting, 95 % bands, and the limits as lines.
// If further settings vary, each point is the fastest cell. Other runs are overlaid dashed, with
// hollow points and whiskers.
import { bottomAxis, clip, frame, leftAxis, message, roomyTicks } from "./frame.js";
import { seriesColour, symbolPath } from "./colours.js";
import { compareValues } from "./data.js";
import { tickText } from "./format.js";
import { state } from "./state.js";
import { cellTip } from "./tip.js";

function fastestBy(cells, x, series) {
  const fastest = new Map();
  for (const cell of cells) {
    if (cell.text(x) === "") continue;
    const key = JSON.stringify([cell.text(series), cell.text(x)]);
    if (!(fastest.get(key)?.rate >= cell.rate)) fastest.set(key, cell);
  }
  return [...fastest.values()];
}

/// Returns [[text of the series, its cells in order of x], …].
function group(cells, x, series) {
  const lines = new Map();
  for (const cell of fastestBy(cells, x, series)) {
    const text = series ? cell.text(series) : "";
    if (!lines.has(text)) lines.set(text, []);
    lines.get(text).push(cell);
  }
  for (const line of lines.values()) line.sort((a, b) => compareValues(a.setting(x), b.setting(x)));
  return [...lines].sort(([, [a]], [, [b]]) => compareValues(a.setting(series), b.setting(series)));
}

// One dash pattern per other run, distinguishable within the 20 pixels of a legend.
const kDashes = ["9 3", "6 2 2 2", "4 2", "9 2 2 2 2 2"];
export const kMostOverlaid = kDashes.length;

function overlay({ run, cells }, at, x, series) {
  const drawable = state.run.isNumeric(x) ? cells.filter((cell) => typeof cell.setting(x) === "number") : cells;
  return { label: run.label, dash: kDashes[at], cells: drawable, lines: group(drawable, x, series) };
}

function xScale(cells, x, width) {
  const values = state.run.valuesOf(x, cells);
  if (!state.run.isNumeric(x)) return { values, place: d3.scalePoint(values.map(String), [0, width]).padding(0.5) };
  const [low, high] = d3.extent(values);
  const slack = (high - low || 1) * 0.04;
  return { values, place: d3.scaleLinear([low - slack, high + slack], [0, width]) };
}

const path = (x, y) => d3.line().x(x).y(y);
const low = (cell) => Math.max(0, cell.metric("samples_per_second_low") ?? cell.rate);
const high = (cell) => cell.metric("samples_per_second_high") ?? cell.rate;
const byLoader = (cell) => cell.text("trainer") === "discard";

function drawLoaderLimits(layer, lines, names, at, y) {
  for (const [text, cells] of lines) {
    const colour = seriesColour(Math.max(0, names.indexOf(text)));
    layer.append("path").attr("class", "line limit").attr("stroke", colour).attr("stroke-dasharray", "2 4")
      .attr("d", path(at, (cell) => y(cell.rate))(cells));
    layer.selectAll(null).data(cells.map((cell) => cellTip(cell, [["", "reference cell of the loader: mock trainer"]]))).join("circle")
      .attr("class", "mark point limit").attr("r", 3.5).style("stroke", colour)
      .attr("cx", ({ cell }) => at(cell)).attr("cy", ({ cell }) => y(cell.rate));
  }
}

function drawTrainerLimit(layer, cell, chart, y) {
  const line = layer.append("g").attr("class", "mark").datum(cellTip(cell, [["", "reference cell of the trainer: mock loader"]]));
  for (const kind of ["hit", "trainer-limit"]) line.append("line").attr("class", kind).attr("x2", chart.width).attr("y1", y(cell.rate)).attr("y2", y(cell.rate));
}

// A single cell gets a whisker, since a band needs a width.
function drawBand(layer, place, cells, at, y) {
  const colour = seriesColour(place);
  layer.append("path").attr("class", "band").attr("fill", colour)
    .attr("d", d3.area().x(at).y0((cell) => y(low(cell))).y1((cell) => y(high(cell)))(cells));
  if (cells.length === 1) drawWhiskers(layer, colour, cells, at, y);
}

function drawWhiskers(layer, colour, cells, at, y) {
  layer.selectAll(null).data(cells).join("line").attr("class", "whisker").attr("stroke", colour).attr("x1", at).attr("x2", at)
    .attr("y1", (cell) => y(low(cell))).attr("y2", (cell) => y(high(cell)));
}

function drawLine(layer, place, cells, at, y) {
  layer.append("path").attr("class", "line").attr("stroke", seriesColour(place)).attr("d", path(at, (cell) => y(cell.rate))(cells));
}

function drawPoints(layer, place, cells, at, y) {
  layer.selectAll(null).data(cells.map((cell) => cellTip(cell))).join("path").attr("class", "mark point")
    .classed("chosen", ({ cell }) => cell === state.cell).attr("d", symbolPath(place)).attr("fill", seriesColour(place))
    .attr("transform", ({ cell }) => `translate(${at(cell)},${y(cell.rate)})`);
}

// Cells of other runs cannot be selected.
function drawOverlay(layer, { label, dash, lines }, names, at, y) {
  for (const [text, cells] of lines) {
    const colour = seriesColour(names.indexOf(text));
    layer.append("path").attr("class", "line other").attr("stroke", colour).attr("stroke-dasharray", dash).attr("d", path(at, (cell) => y(cell.rate))(cells));
    drawWhiskers(layer, colour, cells, at, y);
    layer.selectAll(null).data(cells.map((cell) => ({ ...cellTip(cell, [["run", label]]), cell: null, other: cell }))).join("path")
      .attr("class", "mark point other").attr("d", symbolPath(names.indexOf(text))).style("stroke", colour)
      .attr("transform", ({ other }) => `translate(${at(other)},${y(other.rate)})`);
  }
}

function runsLegend(overlays) {
  if (overlays.length === 0) return [];
  return [{ label: state.run.label }, ...overlays].map(({ label, dash }) => ({ text: label, colour: "var(--ink)", line: true, dashed: dash }));
}

function makeLegend(names, series, trainerLimit, hasLoaderLimit) {
  const legend = names.map((text, place) => ({ text: series ? `${series}=${text || "none"}` : "rate", colour: seriesColour(place), path: symbolPath(place), line: true }));
  if (trainerLimit) legend.push({ text: "trainer limit", colour: "var(--ink)", line: true, dashed: "7 4" });
  if (hasLoaderLimit) legend.push({ text: "loader limit", colour: "var(--muted)", line: true, dashed: "2 4" });
  return legend;
}

/// Returns a note, or nothing. `others` are at most kMostOverlaid {run, cells}.
export function drawLines(area, { cells, limits, x, series, label, others = [] }) {
  const lines = group(cells, x, series);
  if (lines.length === 0) return message(area, `No cell shown has ${x}.`);
  const overlays = others.map((other, at) => overlay(other, at, x, series));
  const all = [cells, ...overlays.map((one) => one.cells)].flat();
  const names = [...new Set([lines, ...overlays.map((one) => one.lines)].flat().map(([text]) => text))];
  const loaderLimits = group(limits.filter(byLoader), x, series);
  const trainerLimit = limits.filter((cell) => !byLoader(cell)).sort((a, b) => b.rate - a.rate)[0];
  const chart = frame(area, { label, height: 300, legend: [...makeLegend(names, series, trainerLimit, loaderLimits.length > 0), ...runsLegend(overlays)] });
  const { values, place } = xScale(all, x, chart.width);
  const at = (cell) => place(state.run.isNumeric(x) ? cell.setting(x) : cell.text(x));
  const top = 1.12 * Math.max(d3.max(all, (cell) => cell.rate), trainerLimit?.rate ?? 0);
  const y = d3.scaleLinear([0, top], [chart.height, 0]);
  const spot = (value) => place(state.run.isNumeric(x) ? value : String(value));
  leftAxis(chart, y, { format: tickText(), text: "samples/s" });
  bottomAxis(chart, place, { text: x, values: roomyTicks(state.run.isNumeric(x) ? values : values.map(String), spot, String), format: String });
  const layer = clip(chart, `${area.parentNode.id}-clip`);
  const drawAll = (draw) => { for (const [i, [, line]] of lines.entries()) draw(layer, i, line, at, y); };
  drawAll(drawBand);
  if (trainerLimit) drawTrainerLimit(layer, trainerLimit, chart, y);
  drawLoaderLimits(layer, loaderLimits, names, at, y);
  for (const one of overlays) drawOverlay(layer, one, names, at, y);
  drawAll(drawLine);
  drawAll(drawPoints);
  return remarks(cells, x, series, loaderLimits, top);
}

function remarks(cells, x, series, loaderLimits, top) {
  const notes = [];
  const others = state.run.knobs.filter((name) => name !== x && name !== series && state.run.valuesOf(name, cells).length > 1);
  if (others.length > 0) notes.push(`Each point is the fastest cell over ${others.join(", ")}; use the filters above to fix them.`);
  const above = loaderLimits.flatMap(([, line]) => line).filter((cell) => cell.rate > top).length;
  if (above > 0) notes.push(`${above} loader limit${above > 1 ? "s are" : " is"} above the chart: the loader alone is much faster than the training.`);
  return notes.join(" ");
}
