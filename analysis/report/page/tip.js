// Tooltips of marks. A mark is an element of class "mark" whose datum is {cell?, title, rows:
// [[name, value], …]}. Arrow keys move between marks, Enter selects the mark's cell.
import { el } from "./dom.js";
import { chooseCell } from "./state.js";
import { formatValue } from "./format.js";

const box = el("div", { id: "tip", role: "status", hidden: true });
document.body.append(box);

export function cellTip(cell, more = []) {
  const rows = [["rate", cell.rateText]];
  for (const [tag, name, unit] of [["loading_time", "loading", "s"], ["training_time", "training", "s"], ["au", "AU", "ratio"], ["memory", "memory", "bytes"]]) {
    if (cell.metric(tag) !== null) rows.push([name, formatValue(cell.metric(tag), unit)]);
  }
  if (cell.raw.bottleneck) rows.push(["bottleneck", cell.raw.bottleneck]);
  return { cell, title: cell.shortName, rows: [...rows, ...more] };
}

function place(x, y) {
  const margin = 14;
  const left = x + margin + box.offsetWidth > innerWidth ? x - margin - box.offsetWidth : x + margin;
  const top = y + margin + box.offsetHeight > innerHeight ? y - margin - box.offsetHeight : y + margin;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

export function hideTip() {
  box.hidden = true;
  for (const mark of document.querySelectorAll(".mark.current")) mark.classList.remove("current");
}

function showTip(mark, x, y) {
  const datum = d3.select(mark).datum();
  if (!mark.classList.contains("current")) {
    hideTip();
    mark.classList.add("current");
    box.replaceChildren(el("strong", {}, datum.title),
      el("dl", {}, datum.rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat()));
  }
  box.hidden = false;
  place(x, y);
}

function step(svg, by) {
  const marks = [...svg.querySelectorAll(".mark")];
  if (marks.length === 0) return;
  const now = marks.findIndex((mark) => mark.classList.contains("current"));
  const mark = marks[now < 0 ? (by > 0 ? 0 : marks.length - 1) : (now + by + marks.length) % marks.length];
  mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  const bounds = mark.getBoundingClientRect();
  showTip(mark, bounds.x + bounds.width / 2, bounds.y + bounds.height / 2);
}

function onKey(svg, event) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const current = svg.querySelector(".mark.current");
  if (by) step(svg, by);
  else if (event.key === "Escape") hideTip();
  else if (event.key === "Enter" && current && d3.select(current).datum().cell) chooseCell(d3.select(current).datum().cell);
  else return;
  event.preventDefault();
}

export function listen(svg) {
  const node = svg.node();
  node.addEventListener("pointermove", (event) => {
    const mark = event.target.closest(".mark");
    if (mark) showTip(mark, event.clientX, event.clientY);
    else hideTip();
  });
  node.addEventListener("pointerleave", hideTip);
  node.addEventListener("blur", hideTip);
  node.addEventListener("keydown", (event) => onKey(node, event));
  node.addEventListener("click", (event) => {
    const mark = event.target.closest(".mark");
    const cell = mark && d3.select(mark).datum().cell;
    if (cell) chooseCell(cell);
  });
}
