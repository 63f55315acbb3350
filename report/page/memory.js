// Memory against speed, with the front of cells that no other beats in both.
import { chartCard } from "./card.js";
import { tickText } from "./format.js";
import { bottomAxis, frame, leftAxis, message } from "./frame.js";
import { shownCells, state } from "./state.js";
import { cellTip } from "./tip.js";

const memoryOf = (cell) => cell.metric("memory");

/// Cheapest first; each is faster than all that need less.
export function paretoFront(cells) {
  const front = [];
  for (const cell of cells.slice().sort((a, b) => memoryOf(a) - memoryOf(b) || b.rate - a.rate)) {
    if (front.length === 0 || cell.rate > front[front.length - 1].rate) front.push(cell);
  }
  return front;
}

const kLegend = [
  { text: "Pareto front", colour: "var(--front)", line: true, path: d3.symbol().size(60)() },
  { text: "dominated", colour: "var(--faint)", path: d3.symbol().size(40)() },
  { text: "proposed", colour: "var(--accent)", path: d3.symbol().type(d3.symbolStar).size(90)() },
];

function symbol(cell, front) {
  if (cell === state.run.proposed) return d3.symbol().type(d3.symbolStar).size(150)();
  return d3.symbol().size(front.has(cell) ? 64 : 34)();
}

function role(cell, front) {
  if (cell === state.run.proposed) return "var(--accent)";
  return front.has(cell) ? "var(--front)" : "var(--faint)";
}

export const memory = () => chartCard({
  id: "memory",
  title: "Memory against speed",
  hint: "Up and to the left is better. Cells on the front are the only ones worth choosing, if memory is what you pay with.",
  draw(area) {
    const cells = shownCells().filter((cell) => memoryOf(cell) !== null);
    if (cells.length === 0) return message(area, "No cell shown has its memory measured.");
    const chart = frame(area, { label: "Samples per second over peak memory", height: 300, legend: kLegend });
    const [least, most] = d3.extent(cells, memoryOf);
    const x = d3.scaleLinear([least - 0.06 * (most - least || least), most + 0.06 * (most - least || least)], [0, chart.width]);
    const y = d3.scaleLinear([0, 1.06 * d3.max(cells, (cell) => cell.rate)], [chart.height, 0]);
    leftAxis(chart, y, { format: tickText(), text: "samples/s" });
    bottomAxis(chart, x, { format: tickText("bytes"), text: "peak memory (PSS of all processes)" });
    const line = paretoFront(cells);
    const front = new Set(line);
    chart.plot.append("path").attr("class", "line").attr("stroke", "var(--front)")
      .attr("d", d3.line().x((cell) => x(memoryOf(cell))).y((cell) => y(cell.rate)).curve(d3.curveStepAfter)(line));
    const drawn = cells.slice().sort((a, b) => front.has(a) - front.has(b));
    chart.plot.selectAll(".mark").data(drawn.map((cell) => cellTip(cell))).join("path").attr("class", "mark point")
      .classed("chosen", ({ cell }) => cell === state.cell)
      .attr("d", ({ cell }) => symbol(cell, front)).attr("fill", ({ cell }) => role(cell, front))
      .attr("transform", ({ cell }) => `translate(${x(memoryOf(cell))},${y(cell.rate)})`);
  },
});
