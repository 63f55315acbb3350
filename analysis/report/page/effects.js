// A dot per value and a line for the 95 % range of a second run, on a logarithmic scale around the
// reference value. Texts come from the program.
import { chartCard } from "./card.js";
import { el } from "./dom.js";
import { bottomAxis, frame, shorten } from "./frame.js";
import { state } from "./state.js";

const kRow = 34;
const kWide = 4;
const kEffects = [["faster", "faster"], ["slower", "slower"], ["not distinguishable from noise", "open"]];

const label = ({ setting, value, reference }) => `${setting}=${value}, against ${reference}`;

function roleOf({ low, high }) {
  if (low === null || (low <= 1 && high >= 1)) return "open";
  return low > 1 ? "faster" : "slower";
}

function gainText(ratio) {
  if (ratio >= 2) return `${Number(ratio.toPrecision(2))}x`;
  const percent = Number((100 * (ratio - 1)).toPrecision(2));
  return `${percent > 0 ? "+" : ""}${percent} %`;
}

/// Includes 1, the reference value.
function ticksOf([low, high], most) {
  if (high / low < kWide) return d3.ticks(low, high, most);
  const [first, last] = [Math.ceil(Math.log2(low)), Math.floor(Math.log2(high))];
  const step = Math.ceil((last - first + 1) / most);
  return d3.range(first, last + 1).filter((power) => power % step === 0).map((power) => 2 ** power);
}

function tip(row) {
  return { ...row, title: label(row), rows: [["effect", row.gain], ["range (95 %)", row.interval], ["pairs of cells", row.pairs]] };
}

function drawRows(area, rows) {
  const legend = kEffects.filter(([, role]) => rows.some((row) => roleOf(row) === role))
    .map(([text, role]) => ({ text, colour: `var(--${role})`, path: d3.symbol().size(60)() }));
  const chart = frame(area, { label: "Effect of each setting", height: rows.length * kRow, margin: { top: 8, left: 12, right: 16 }, legend });
  const [low, high] = d3.extent([1, ...rows.flatMap(({ ratio, low, high }) => [ratio, low ?? ratio, high ?? ratio])]);
  const x = d3.scaleLog([low / 1.03, high * 1.03], [0, chart.width]);
  bottomAxis(chart, x, { format: gainText, values: ticksOf(x.domain(), Math.max(2, Math.floor(chart.width / 110))), text: "effect on samples/s" });
  const marks = chart.plot.selectAll(".mark").data(rows.map(tip)).join("g").attr("class", "mark").attr("transform", (_, i) => `translate(0,${i * kRow})`);
  marks.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
  marks.append("text").attr("y", 12).text((row) => shorten(label(row), chart.width - 60));
  marks.append("text").attr("class", "value").attr("x", chart.width).attr("y", 12).attr("text-anchor", "end").text(({ gain }) => gain);
  marks.append("line").attr("class", "unity").attr("x1", x(1)).attr("x2", x(1)).attr("y1", 16).attr("y2", kRow - 4);
  const colour = (row) => `var(--${roleOf(row)})`;
  marks.filter(({ low }) => low !== null).append("line").attr("class", "whisker").attr("stroke", colour).attr("y1", 23).attr("y2", 23)
    .attr("x1", (row) => x(row.low)).attr("x2", (row) => x(row.high));
  marks.append("circle").attr("cx", ({ ratio }) => x(ratio)).attr("cy", 23).attr("r", 4.5).attr("fill", colour);
}

export const effects = () => chartCard({
  id: "effects",
  title: "Effect of each setting",
  hint: "Each value against the reference, over pairs of cells that differ in this setting alone. A line: where the effect of a second run lies, with 95\u00a0%. Filters do not change it.",
  on: [],
  draw(area, card) {
    const { rows, dependences } = state.run.raw.effects;
    card.figure.hidden = rows.length === 0;
    if (rows.length === 0) return "";
    drawRows(area, rows);
    if (dependences.length === 0) return "";
    return el("div", {}, "Effects that depend on another setting:", el("ul", {}, dependences.map((text) => el("li", {}, text))));
  },
});
