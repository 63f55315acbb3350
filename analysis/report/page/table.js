import { columns } from "./data.js";
import { compareValues } from "./data.js";
import { el, plain } from "./dom.js";
import { formatValue } from "./format.js";
import { saveCsv } from "./save.js";
import { matcher } from "./search.js";
import { chooseCell, countText, onChange, passes, state } from "./state.js";

const kFirstRows = 100;
let sorted = { key: "samples_per_second", descending: true };
let isWhole = false;   // All columns, not only the terminal's.
let isLong = false;

function settingColumn(name) {
  return { key: name, title: name, isNumber: state.run.isNumeric(name), value: (cell) => cell.setting(name), text: (cell) => cell.text(name) };
}

function metricColumn(tag) {
  const { unit, meaning } = columns.get(tag) ?? {};
  const column = { key: tag, title: tag, meaning, isNumber: true, value: (cell) => cell.metric(tag) };
  if (tag !== "samples_per_second") return { ...column, text: (cell) => formatValue(cell.metric(tag), unit) };
  return { ...column, text: (cell) => cell.isMeasured ? cell.raw.rate_text + (cell.raw.foreign_load && " !") : "–", hint: (cell) => cell.raw.foreign_load };
}

function shownColumns() {
  const { run } = state;
  const varying = isWhole ? run.raw.settings : run.raw.varying;
  const tags = run.raw.metrics.filter((tag) => isWhole || columns.get(tag)?.in_table);
  const best = run.best?.rate;
  const bottlenecks = run.cells.some((cell) => cell.raw.bottleneck)
    ? [{ key: "bottleneck", title: "bottleneck", value: (cell) => cell.raw.bottleneck, text: (cell) => cell.raw.bottleneck, hint: (cell) => cell.raw.verdict }] : [];
  const outcomes = run.cells.some((cell) => cell.outcome !== "ok")
    ? [{ key: "outcome", title: "outcome", value: (cell) => cell.outcome, text: (cell) => cell.outcome, hint: (cell) => cell.raw.reason }] : [];
  return [...varying.map(settingColumn), ...tags.map(metricColumn),
    { key: "vs best", title: "vs best", isNumber: true, value: (cell) => cell.ratio ?? cell.rate / best, text: (cell) => cell.isMeasured && best ? (cell.ratio ?? cell.rate / best).toFixed(2) : "–" }, ...bottlenecks, ...outcomes];
}

// Limits come after choosable cells, and missing values last, in both directions.
function inOrder(cells, column) {
  const sign = sorted.descending ? -1 : 1;
  const isMissing = (value) => value === null || value === "";
  const isApart = (cell) => cell.isLimit && !state.run.onlyLimits;
  return cells.slice().sort((a, b) => {
    if (isApart(a) !== isApart(b)) return isApart(a) - isApart(b);
    const [left, right] = [column.value(a), column.value(b)];
    if (isMissing(left) || isMissing(right)) return isMissing(left) - isMissing(right);
    return sign * compareValues(left, right);
  });
}

function heading(column, redraw) {
  const direction = sorted.key !== column.key ? "none" : sorted.descending ? "descending" : "ascending";
  const arrow = { none: "", ascending: " ▲", descending: " ▼" }[direction];
  const button = el("button", { type: "button", title: column.meaning && plain(column.meaning), "data-key": column.key, click: () => {
    sorted = { key: column.key, descending: sorted.key === column.key ? !sorted.descending : Boolean(column.isNumber) };
    redraw();
    document.querySelector(`#cells th [data-key="${CSS.escape(column.key)}"]`)?.focus();
  } }, column.title, el("span", { "aria-hidden": "true" }, arrow));
  return el("th", { scope: "col", "aria-sort": direction, class: column.isNumber ? "number" : null }, button);
}

function row(cell, shown) {
  const line = el("tr", { "data-place": cell.place, tabindex: cell.isMeasured ? 0 : null });
  line.classList.toggle("chosen", cell === state.cell);
  line.classList.toggle("proposed", cell.isProposed);
  line.classList.toggle("limit", cell.isLimit && !state.run.onlyLimits);
  for (const column of shown) {
    const data = document.createElement("td");
    data.textContent = column.text(cell);
    if (column.isNumber) data.className = "number";
    if (column.hint) data.title = plain(column.hint(cell));
    line.append(data);
  }
  return line;
}

export function table() {
  const body = el("tbody");
  const head = el("thead");
  const count = el("p", { class: "count", role: "status" });
  const search = el("input", { type: "search", id: "search", placeholder: "lmdb num_workers=4 memory<1e9", "aria-describedby": "search-hint", input: () => fill() });
  const more = el("button", { type: "button", class: "quiet", id: "more", click: () => { isLong = true; fill(); } });
  const whole = el("input", { type: "checkbox", id: "whole", change: () => { isWhole = whole.checked; fill(); } });

  function fill() {
    const shown = shownColumns();
    const column = shown.find(({ key }) => key === sorted.key) ?? shown[shown.length - 1];
    const fits = matcher(search.value);
    const cells = inOrder(state.run.cells.filter((cell) => passes(cell) && fits(cell)), column);
    const listed = isLong ? cells : cells.slice(0, kFirstRows);
    head.replaceChildren(el("tr", {}, shown.map((one) => heading(one, fill))));
    body.replaceChildren(...listed.map((cell) => row(cell, shown)));
    const mark = cells.some((cell) => cell.raw.foreign_load) ? "; !: disturbed by other programs on CPUs or storage" : "";
    count.textContent = countText(cells) + mark;
    more.hidden = listed.length === cells.length;
    more.textContent = `Show all ${cells.length} rows`;
  }

  function choose(event) {
    const place = event.target.closest("tr")?.dataset.place;
    if (place !== undefined && state.run.cells[place].isMeasured) chooseCell(state.run.cells[place]);
  }
  body.addEventListener("click", choose);
  body.addEventListener("keydown", (event) => event.key === "Enter" && choose(event));
  onChange((what) => {
    if (what !== "cell") return fill();
    for (const line of body.rows) line.classList.toggle("chosen", state.run.cells[line.dataset.place] === state.cell);
  });
  fill();
  return el("section", { id: "cells", class: "card", "aria-labelledby": "cells-title" },
    el("header", {}, el("h2", { id: "cells-title" }, "All cells"), el("button", { type: "button", class: "quiet small", id: "csv", click: saveCsv }, "CSV")),
    el("div", { class: "controls" },
      el("label", { class: "control grow" }, el("span", {}, "Search"), search),
      el("label", { class: "control check" }, whole, el("span", {}, "all columns"))),
    el("p", { id: "search-hint", class: "hint" }, "Filter by words, name=value, or a comparison in base units (seconds, bytes): loading_time<0.001. Click a heading to sort; click a row or press Enter to select the cell."),
    count, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of cells" }, el("table", {}, head, body)), more);
}
