// Axes and legend are inside the SVG, so that an exported picture is complete.
import { el, prose } from "./dom.js";

const kFont = "12px system-ui, sans-serif";
const measure = document.createElement("canvas").getContext("2d");

export function textWidth(text) {
  measure.font = kFont;
  return measure.measureText(text).width;
}

export function shorten(text, width) {
  if (textWidth(text) <= width) return text;
  let kept = Math.min(text.length, Math.floor((text.length * width) / textWidth(text)));
  while (kept > 1 && textWidth(`${text.slice(0, kept)}…`) > width) --kept;
  return `${text.slice(0, kept)}…`;
}

/// Cell labels that fit the width: names and values, or the values alone.
export function cellLabels(cells, width) {
  if (cells.every((cell) => textWidth(cell.shortName) <= width)) return { label: (cell) => cell.shortName, note: "" };
  const { run } = cells[0];
  return { label: (cell) => shorten(cell.values, width), note: `The labels are ${run.knobs.join(" · ")}.` };
}

/// Entries are {text, colour, path?, dashed?, line?}. Returns the height of the legend.
function drawLegend(svg, entries, width) {
  const legend = svg.append("g").attr("class", "legend");
  let x = 0;
  let y = 8;
  for (const entry of entries) {
    const text = shorten(entry.text, width - 30);
    const step = 26 + textWidth(text) + 16;
    if (x > 0 && x + step > width) {
      x = 0;
      y += 18;
    }
    const item = legend.append("g").attr("transform", `translate(${x},${y})`);
    if (entry.line) {
      item.append("line").attr("x2", 20).attr("stroke", entry.colour).attr("stroke-width", 2)
        .attr("stroke-dasharray", entry.dashed ?? null);
    }
    if (entry.path) item.append("path").attr("transform", "translate(10,0)").attr("d", entry.path).attr("fill", entry.colour);
    if (!entry.line && !entry.path) item.append("rect").attr("x", 4).attr("y", -6).attr("width", 12).attr("height", 12).attr("fill", entry.colour);
    item.append("text").attr("x", 26).attr("dy", "0.35em").text(text);
    x += step;
  }
  return entries.length ? y + 14 : 0;
}

/// Returns {svg, plot, left, width, height}; the origin of the plot is its upper left corner. The
/// width comes from area.dataset, since measuring it would force a layout per chart.
export function frame(area, { label, height = 280, margin = {}, legend = [] }) {
  const m = { top: 26, right: 12, bottom: 44, left: 54, ...margin };
  const total = Math.max(Number(area.dataset.width), 260);
  const svg = d3.select(area).append("svg").attr("role", "group").attr("aria-label", label).attr("tabindex", 0);
  const legendHeight = drawLegend(svg, legend, total);
  const full = legendHeight + m.top + height + m.bottom;
  svg.attr("viewBox", `0 0 ${total} ${full}`).attr("width", total).attr("height", full);
  const plot = svg.append("g").attr("transform", `translate(${m.left},${legendHeight + m.top})`);
  return { svg, plot, left: m.left, width: total - m.left - m.right, height };
}

export function leftAxis(chart, scale, { text, format, ticks = 5 }) {
  chart.plot.append("g").attr("class", "axis grid")
    .call(d3.axisLeft(scale).ticks(ticks).tickSize(-chart.width).tickPadding(6).tickFormat(format))
    .call((axis) => axis.select(".domain").remove());
  if (!text) return;
  chart.plot.append("text").attr("class", "title").attr("x", 4 - chart.left).attr("y", -13).text(text);
}

export function bottomAxis(chart, scale, { text, format, values, ticks = Math.max(2, Math.floor(chart.width / 90)) }) {
  const axis = d3.axisBottom(scale).tickSizeOuter(0).tickPadding(6).tickFormat(format);
  if (values) axis.tickValues(values);
  else axis.ticks(ticks);
  chart.plot.append("g").attr("class", "axis").attr("transform", `translate(0,${chart.height})`).call(axis);
  if (!text) return;
  chart.plot.append("text").attr("class", "title").attr("text-anchor", "middle")
    .attr("x", chart.width / 2).attr("y", chart.height + 38).text(text);
}

export function roomyTicks(values, place, text) {
  let end = -Infinity;
  return values.filter((value) => {
    const half = textWidth(text(value)) / 2 + 4;
    if (place(value) - half < end) return false;
    end = place(value) + half;
    return true;
  });
}

export function clip(chart, id) {
  chart.svg.append("clipPath").attr("id", id).append("rect").attr("y", -8).attr("width", chart.width + 8).attr("height", chart.height + 8);
  return chart.plot.append("g").attr("clip-path", `url(#${id})`);
}

export function message(area, text) {
  area.append(el("p", { class: "note empty" }, prose(text)));
}
