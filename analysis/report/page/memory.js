import { chartCard } from "./card.js";
import { tickText } from "./format.js";
import { bottomAxis, frame, leftAxis, message } from "./frame.js";
import { shownCells, state } from "./state.js";
import { cellTip } from "./tip.js";

const memoryOf = (cell) => cell.metric("memory");

/// Whether no cell under the same conditions with as few workers and as little memory is faster by
/// more than the tolerance. True for the proposed cell, which is decided by the same ratios.
function isWorthwhile(cell, cells) {
  const asks = (one) => [one.setting("num_workers") || 0, memoryOf(one)];
  return !cells.some((other) => other.answer === cell.answer
    && asks(other).every((value, at) => value <= asks(cell)[at]) && other.ratio * (1 - state.run.raw.verdict.tolerance) > cell.ratio);
}

const kLegend = [
  { text: "Pareto front", colour: "var(--front)", path: d3.symbol().size(60)() },
  { text: "dominated", colour: "var(--faint)", path: d3.symbol().size(40)() },
  { text: "proposed", colour: "var(--accent)", path: d3.symbol().type(d3.symbolStar).size(90)() },
];

function symbol(cell, front) {
  if (cell.isProposed) return d3.symbol().type(d3.symbolStar).size(150)();
  return d3.symbol().size(front.has(cell) ? 64 : 34)();
}

function role(cell, front) {
  if (cell.isProposed) return "var(--accent)";
  return front.has(cell) ? "var(--front)" : "var(--faint)";
}

export const memory = () => chartCard({
  id: "memory",
  title: "Memory against speed",
  hint: "Up and to the left is better. For a cell on the front, no cell with as few workers and as little memory is faster by more than the tolerance.",
  draw(area) {
    const cells = shownCells().filter((cell) => memoryOf(cell) !== null);
    if (cells.length === 0) return message(area, "No cell shown has a memory measurement.");
    const chart = frame(area, { label: "Samples per second over peak memory", height: 300, legend: kLegend });
    const [least, most] = d3.extent(cells, memoryOf);
    const x = d3.scaleLinear([least - 0.06 * (most - least || least), most + 0.06 * (most - least || least)], [0, chart.width]);
    const y = d3.scaleLinear([0, 1.06 * d3.max(cells, (cell) => cell.rate)], [chart.height, 0]);
    leftAxis(chart, y, { format: tickText(), text: "samples/s" });
    bottomAxis(chart, x, { format: tickText("bytes"), text: "peak memory (PSS of all processes)" });
    const front = new Set(cells.filter((cell) => isWorthwhile(cell, cells)));
    const drawn = cells.slice().sort((a, b) => front.has(a) - front.has(b));
    chart.plot.selectAll(".mark").data(drawn.map((cell) => cellTip(cell))).join("path").attr("class", "mark point")
      .classed("chosen", ({ cell }) => cell === state.cell)
      .attr("d", ({ cell }) => symbol(cell, front)).attr("fill", ({ cell }) => role(cell, front))
      .attr("transform", ({ cell }) => `translate(${x(memoryOf(cell))},${y(cell.rate)})`);
  },
});
