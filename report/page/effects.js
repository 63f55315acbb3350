// What each setting is worth by itself: a dot for each value, a line where a second run's effect lies
// with 95 %, on a logarithmic scale around the reference value. Texts come from the program.
import { chartCard } from "./card.js";
import { bottomAxis, frame, message, shorten } from "./frame.js";
import { state } from "./state.js";

const kRow = 34;

const label = ({ setting, value, reference }) => `${setting}=${value}, against ${reference}`;

function gainText(ratio) {
  if (ratio >= 2) return `${Number(ratio.toPrecision(2))}x`;
  const percent = Math.round(100 * (ratio - 1));
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

function drawRows(area, rows) {
  const chart = frame(area, { label: "Effect of each setting", height: rows.length * kRow, margin: { top: 8, left: 12, right: 16 } });
  const bounds = d3.extent([1, ...rows.flatMap(({ ratio, low, high }) => [ratio, low ?? ratio, high ?? ratio])]);
  const x = d3.scaleLog([bounds[0] / 1.05, bounds[1] * 1.05], [0, chart.width]);
  const ticks = x.ticks(Math.max(2, Math.floor(chart.width / 110)));
  bottomAxis(chart, x, { format: gainText, values: ticks.length > 1 ? ticks : [1], text: "samples/s, against the reference value" });
  chart.plot.append("line").attr("class", "reference").attr("x1", x(1)).attr("x2", x(1)).attr("y2", chart.height)
    .attr("stroke", "var(--faint)").attr("stroke-dasharray", "3 3");
  const tips = rows.map((row) => ({ ...row, title: label(row), rows: [["effect", row.gain], ["a second run (95 %)", row.interval], ["pairs of cells", row.pairs]] }));
  const marks = chart.plot.selectAll(".mark").data(tips).join("g").attr("class", "mark").attr("transform", (_, i) => `translate(0,${i * kRow})`);
  marks.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
  marks.append("text").attr("y", 12).text((row) => shorten(label(row), chart.width - 70));
  marks.append("text").attr("class", "value").attr("x", chart.width).attr("y", 12).attr("text-anchor", "end").text(({ gain }) => gain);
  marks.filter(({ low }) => low !== null).append("line").attr("y1", 23).attr("y2", 23).attr("stroke", "var(--accent)").attr("stroke-width", 2)
    .attr("x1", ({ low }) => x(low)).attr("x2", ({ high }) => x(high));
  marks.append("circle").attr("cx", ({ ratio }) => x(ratio)).attr("cy", 23).attr("r", 4.5).attr("fill", "var(--accent)");
}

export const effects = () => chartCard({
  id: "effects",
  title: "Effect of each setting",
  hint: "Each value against the reference, over pairs of cells that differ in this setting alone. A line is where a second run's effect lies, with 95 %.",
  on: [],
  draw(area) {
    const { rows, dependences } = state.run.raw.effects;
    if (rows.length === 0) return message(area, "No two measured cells differ in one setting alone.");
    drawRows(area, rows);
    return dependences.length > 0 ? `Effects that depend on another setting: ${dependences.join("; ")}.` : "";
  },
});
