// Rows of profile.txt are a category, microseconds and percent.
import { chartCard } from "./card.js";
import { formatValue, tickText } from "./format.js";
import { bottomAxis, cellLabels, frame, message } from "./frame.js";
import { shownCells, state } from "./state.js";

const kMostRows = 40;
const kRow = 34;
const kRoles = [["Kernel", "var(--training)"], ["Memcpy", "var(--series-5)"], ["Memset", "var(--series-6)"], ["Communication", "var(--series-3)"],
  ["Runtime", "var(--series-2)"], ["DataLoader", "var(--loading)"], ["CPU Exec", "var(--accent)"], ["Other", "var(--faint)"]];
const kLine = /^(\w[\w ]*?) +([\d,]+) +[\d.]+$/gm;

function partsOf(cell) {
  const text = state.run.raw.profiles[String(cell.raw.index)];
  if (!text) return null;
  const table = text.slice(text.indexOf("Execution Summary")).split("\n\n")[0];
  const seconds = new Map([...table.matchAll(kLine)].map(([, role, time]) => [role, Number(time.replaceAll(",", "")) / 1e6]));
  let from = 0;
  return kRoles.filter(([role]) => seconds.get(role) > 0).map(([role, colour]) => {
    const part = { role, colour, from, seconds: seconds.get(role) };
    from += part.seconds;
    return part;
  });
}

const end = (parts) => d3.sum(parts, (part) => part.seconds);

export const summary = () => chartCard({
  id: "summary",
  title: "Execution Summary",
  hint: "The profiler's view of a step: what the GPU did or waited for. Time counts once, for the first category that applies.",
  draw(area) {
    const rows = shownCells().map((cell) => ({ cell, parts: partsOf(cell) })).filter(({ parts }) => parts?.length > 0).slice(0, kMostRows);
    if (rows.length === 0) return message(area, "This run has none; run the sweep with --profile to record it.");
    const roles = kRoles.filter(([role]) => rows.some(({ parts }) => parts.some((part) => part.role === role)));
    const chart = frame(area, { label: "Execution Summary of each cell", height: rows.length * kRow, margin: { top: 8, left: 8, right: 16 }, legend: roles.map(([text, colour]) => ({ text, colour })) });
    const { label, note } = cellLabels(rows.map(({ cell }) => cell), chart.width - 8);
    const x = d3.scaleLinear([0, d3.max(rows, ({ parts }) => end(parts))], [0, chart.width]);
    bottomAxis(chart, x, { format: tickText("s"), text: "time per step" });
    const tips = rows.map(({ cell, parts }) => ({ cell, parts, title: cell.shortName, rows: parts.map((part) => [part.role, `${formatValue(part.seconds, "s")} (${formatValue(part.seconds / end(parts), "ratio")})`]) }));
    const bars = chart.plot.selectAll(".mark").data(tips).join("g").attr("class", "mark").classed("chosen", ({ cell }) => cell === state.cell)
      .attr("transform", (_, i) => `translate(0,${i * kRow})`);
    bars.append("rect").attr("class", "hit").attr("width", chart.width).attr("height", kRow);
    bars.append("text").attr("y", 12).text(({ cell }) => label(cell));
    bars.selectAll(".bar").data(({ parts }) => parts).join("rect").attr("class", "bar").attr("y", 17).attr("height", 12)
      .attr("x", (part) => x(part.from)).attr("width", (part) => x(part.seconds)).attr("fill", (part) => part.colour);
    return note;
  },
});
