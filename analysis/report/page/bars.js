import { chartCard } from "./card.js";
import { bottomAxis, cellLabels, frame, leftAxis, message } from "./frame.js";
import { formatValue, tickText } from "./format.js";
import { select } from "./dom.js";
import { shownCells, state } from "./state.js";
import { cellTip } from "./tip.js";

const kMostRows = 40;
const kRow = 34;
const kParts = [["loading_time", "loading", "var(--loading)"], ["training_time", "training", "var(--training)"]];
let chosen = null;

// Steps of different batch sizes are only comparable per sample.
function unit() {
  return chosen ?? (state.run.knobs.includes("batch_size") ? "sample" : "step");
}

function divisor(cell) {
  return unit() === "sample" ? Number(cell.setting("batch_size")) || 1 : 1;
}

function seconds(cell, tag) {
  return (cell.metric(tag) ?? 0) / divisor(cell);
}

const total = (cell) => seconds(cell, "loading_time") + seconds(cell, "training_time");

function mark(cell) {
  const share = total(cell) > 0 ? seconds(cell, "loading_time") / total(cell) : 0;
  return cellTip(cell, [["waits for data", formatValue(share, "ratio")]]);
}

const legend = () => kParts.map(([, text, colour]) => ({ text: `${text} per ${unit()}`, colour }));
const isChosen = (datum) => datum.cell === state.cell;

function drawRows(area, cells) {
  const chart = frame(area, { label: "Loading and training time of each cell", height: cells.length * kRow, margin: { top: 8, left: 8, right: 16 }, legend: legend() });
  const { label, note } = cellLabels(cells, chart.width - 90);
  const x = d3.scaleLinear([0, d3.max(cells, total)], [0, chart.width]);
  bottomAxis(chart, x, { format: tickText("s"), text: `time per ${unit()}` });
  const rows = chart.plot.selectAll(".mark").data(cells.map(mark)).join("g").attr("class", "mark")
    .classed("chosen", isChosen).attr("transform", (_, i) => `translate(0,${i * kRow})`);
  rows.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
  rows.append("text").attr("y", 12).text(({ cell }) => label(cell));
  rows.append("text").attr("class", "value").attr("x", chart.width).attr("y", 12).attr("text-anchor", "end")
    .text((datum) => formatValue(total(datum.cell), "s"));
  for (const [place, [tag, , colour]] of kParts.entries()) {
    rows.append("rect").attr("class", "bar").attr("y", 17).attr("height", 12).attr("fill", colour)
      .attr("x", ({ cell }) => (place === 0 ? 0 : x(seconds(cell, "loading_time"))))
      .attr("width", ({ cell }) => x(seconds(cell, tag)));
  }
  return note;
}

function drawStrip(area, cells) {
  const chart = frame(area, { label: "Loading and training time of each cell", height: 300, legend: legend() });
  const x = d3.scaleBand(d3.range(cells.length), [0, chart.width]).paddingInner(cells.length > chart.width / 3 ? 0 : 0.15);
  const overlap = x.bandwidth() === x.step() ? 1.2 : 1;  // Closes seams between bars thinner than a pixel.
  const y = d3.scaleLinear([0, d3.max(cells, total)], [chart.height, 0]).nice();
  leftAxis(chart, y, { format: tickText("s"), text: `time per ${unit()}` });
  chart.plot.append("text").attr("class", "title").attr("text-anchor", "middle").attr("x", chart.width / 2).attr("y", chart.height + 24)
    .text(`${cells.length} cells, fastest first`);
  const bars = chart.plot.selectAll(".mark").data(cells.map(mark)).join("g").attr("class", "mark")
    .classed("chosen", isChosen).attr("transform", (_, i) => `translate(${x(i)},0)`);
  for (const [place, [tag, , colour]] of kParts.entries()) {
    bars.append("rect").attr("class", "bar").attr("width", x.bandwidth() * overlap).attr("fill", colour)
      .attr("y", ({ cell }) => y(place === 0 ? seconds(cell, tag) : total(cell)))
      .attr("height", ({ cell }) => chart.height - y(seconds(cell, tag)));
  }
}

export const bars = () => chartCard({
  id: "bars",
  title: "Loading against training",
  hint: "Time breakdown of a step on the host. Orange: the training waits for data, which better settings can save.",
  controls: (card) => state.run.knobs.includes("batch_size")
    ? [select("Time per", [["step", "step"], ["sample", "sample"]], unit(), (value) => { chosen = value; card.redraw(); })] : [],
  draw(area) {
    const cells = shownCells();
    if (!cells.some((cell) => total(cell) > 0)) return message(area, "No cell shown has loading and training times.");
    return cells.length <= kMostRows ? drawRows(area, cells) : drawStrip(area, cells);
  },
});
