import { comparisons, runs } from "./data.js";
import { chartCard } from "./card.js";
import { el, prose, select } from "./dom.js";
import { formatNumber, tickText } from "./format.js";
import { bottomAxis, frame, message, shorten } from "./frame.js";

const kMostRows = 60;
const kRow = 32;
let chosen = 0;

const percent = (ratio) => `${ratio >= 1 ? "+" : "−"}${Math.abs(100 * (ratio - 1)).toFixed(1)} %`;

const kVerdicts = [["WIN", "faster"], ["LOSE", "slower"], ["TIE", "tie"], ["UNDECIDED", "open"]];
const colourOf = ({ verdict }) => `var(--${new Map(kVerdicts).get(verdict) ?? "open"})`;

function tip(cell) {
  const rows = [["ratio", `${cell.ratio.toFixed(3)} (${percent(cell.ratio)})`]];
  if (cell.low !== null) rows.push(["95 %", `${cell.low.toFixed(3)} to ${cell.high.toFixed(3)}`]);
  rows.push(["before", `${formatNumber(cell.rate_a)}/s`], ["after", `${formatNumber(cell.rate_b)}/s`]);
  rows.push(["verdict", cell.regression ? `${cell.verdict}, a regression` : cell.verdict]);
  return { compared: cell, title: cell.name, rows };
}

function drawRatios(area, all) {
  const choosable = all.filter((cell) => !cell.limit);
  const cells = choosable.length > 0 ? choosable : all;
  const strongest = cells.slice().sort((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, kMostRows);
  const chart = frame(area, { label: "Ratio of the rates, after to before", height: strongest.length * kRow, margin: { top: 8, left: 8, right: 16 },
    legend: kVerdicts.map(([text, role]) => ({ text, colour: `var(--${role})`, path: d3.symbol().size(60)() })) });
  const low = d3.min(strongest, (cell) => Math.min(1, cell.ratio, cell.low ?? cell.ratio));
  const high = d3.max(strongest, (cell) => Math.max(1, cell.ratio, cell.high ?? cell.ratio));
  const x = d3.scaleLinear([Math.max(0, low - 0.02), high + 0.02], [0, chart.width]);
  bottomAxis(chart, x, { format: (value) => `${Number(value.toFixed(3))}×`, text: "rate, after to before" });
  const rows = chart.plot.selectAll(".mark").data(strongest.map(tip)).join("g").attr("class", "mark").attr("transform", (_, i) => `translate(0,${i * kRow})`);
  rows.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
  rows.append("text").attr("y", 11).text((datum) => shorten(datum.title, chart.width - 70));
  rows.append("text").attr("class", "value").attr("x", chart.width).attr("y", 11).attr("text-anchor", "end").text((datum) => percent(datum.compared.ratio));
  rows.append("line").attr("class", "unity").attr("x1", x(1)).attr("x2", x(1)).attr("y1", 15).attr("y2", kRow - 3);
  const colour = ({ compared }) => colourOf(compared);
  rows.filter(({ compared }) => compared.low !== null).append("line").attr("class", "whisker").attr("stroke", colour)
    .attr("x1", ({ compared }) => x(Math.max(0, compared.low))).attr("x2", ({ compared }) => x(compared.high)).attr("y1", 22).attr("y2", 22);
  rows.append("circle").attr("r", 4.5).attr("cy", 22).attr("cx", ({ compared }) => x(compared.ratio)).attr("fill", colour);
  const notes = cells.length > kMostRows ? [`The ${kMostRows} largest differences of ${cells.length} cells.`] : [];
  if (cells.length < all.length) notes.push("The output of `feedrate compare` also has the reference cells.");
  return notes.join(" ");
}

function drawRates(area, all, names) {
  const choosable = all.filter((cell) => !cell.limit);
  const cells = (choosable.length > 0 ? choosable : all).slice().sort((a, b) => b.rate_a - a.rate_a).slice(0, kMostRows);
  const runsOf = [["rate_a", "var(--muted)", names[0]], ["rate_b", "var(--training)", names[1]]];
  const chart = frame(area, { label: "Samples per second of both runs", height: cells.length * kRow, margin: { top: 8, left: 8, right: 16 },
    legend: runsOf.map(([, colour, text]) => ({ text, colour, path: d3.symbol().size(60)() })) });
  const x = d3.scaleLinear([0, 1.05 * d3.max(cells, (cell) => Math.max(cell.rate_a, cell.rate_b))], [0, chart.width]);
  bottomAxis(chart, x, { format: tickText(), text: "samples/s" });
  const rows = chart.plot.selectAll(".mark").data(cells.map(tip)).join("g").attr("class", "mark").attr("transform", (_, i) => `translate(0,${i * kRow})`);
  rows.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
  rows.append("text").attr("y", 11).text((datum) => shorten(datum.title, chart.width));
  rows.append("line").attr("class", "whisker").attr("stroke", "var(--faint)").attr("y1", 22).attr("y2", 22)
    .attr("x1", ({ compared }) => x(compared.rate_a)).attr("x2", ({ compared }) => x(compared.rate_b));
  for (const [key, colour] of runsOf) rows.append("circle").attr("r", 4.5).attr("cy", 22).attr("cx", ({ compared }) => x(compared[key])).attr("fill", colour);
  return cells.length < (choosable.length || all.length) ? `The ${kMostRows} fastest cells of ${runs[0].label}.` : "";
}

export function comparison() {
  if (comparisons.length === 0) return null;
  const sentence = el("p", { class: "sentence" });
  const rates = chartCard({
    id: "rates",
    title: "Both runs",
    hint: "Samples per second of the cells that both runs have, before and after.",
    on: [],
    draw(area) {
      const { cells, b } = comparisons[chosen];
      return cells.length > 0 ? drawRates(area, cells, [runs[0].label, runs[b].label]) : message(area, "The runs have no measured cell in common.");
    },
  });
  const card = chartCard({
    id: "comparison",
    title: "The runs compared",
    hint: `Samples per second of each cell against the same cell of ${runs[0].label}.`,
    on: [],
    controls: (self) => comparisons.length < 2 ? []
      : [select("Run", comparisons.map(({ b }, at) => [String(at), runs[b].label]), String(chosen), (value) => { chosen = Number(value); self.redraw(); rates.redraw(); })],
    draw(area) {
      const { cells, text, sentence: said, b } = comparisons[chosen];
      sentence.replaceChildren(...prose(said));
      const note = cells.length > 0 ? drawRatios(area, cells) : message(area, "The runs have no measured cell in common.");
      area.append(el("details", {}, el("summary", {}, `${runs[0].label} and ${runs[b].label}, output of `, el("code", {}, "feedrate compare")), el("pre", {}, text.trim())));
      return note;
    },
  });
  return el("div", { id: "compared" }, sentence, el("div", { class: "grid" }, card.figure, rates.figure));
}
