import { el, prose } from "./dom.js";
import { onChange } from "./state.js";
import { hideTip, listen } from "./tip.js";
import { savePng, saveSvg } from "./save.js";

const charts = [];

/// `draw(area)` fills the area and returns a note (a text or an element) or nothing; `controls()`
/// returns elements. `on` lists the changes that redraw the chart, `reset` those that also rebuild
/// the controls, which loses the keyboard focus.
export function chartCard({ id, title, hint, controls = () => [], draw, on = ["filter", "cell"], reset = ["run"] }) {
  const area = el("div", { class: "area" });
  const note = el("div", { class: "note" });
  const choices = el("div", { class: "controls" });
  const buttons = [["SVG", saveSvg], ["PNG", savePng]].map(([kind, save]) =>
    el("button", { type: "button", class: "quiet small", "aria-label": `Save ${title} as ${kind}`, click: () => save(area.querySelector("svg"), card.heading.textContent, id) }, kind));
  const heading = el("h2", { id: `${id}-title` }, title);
  const figure = el("section", { class: "card", id, "aria-labelledby": `${id}-title` },
    el("header", {}, heading, el("div", { class: "save" }, buttons)),
    el("p", { class: "hint" }, prose(hint)), choices, area, note);
  const card = { figure, area, heading };
  card.redraw = () => {
    hideTip();
    const scrolled = area.firstChild ? area.scrollTop : 0;  // Reading scrollTop forces a layout.
    area.replaceChildren();
    const said = draw(area, card) ?? "";
    note.replaceChildren(...(typeof said === "string" ? prose(said) : [said]));
    if (scrolled > 0) area.scrollTop = scrolled;
    const svg = area.querySelector("svg");
    for (const button of buttons) button.hidden = !svg;
    figure.classList.toggle("slim", !svg);
    if (svg) listen(d3.select(svg));
  };
  card.reset = () => {
    choices.replaceChildren(...controls(card));
    card.redraw();
  };
  onChange((what) => {
    if (reset.includes(what)) card.reset();
    else if (on.includes(what)) card.redraw();
  });
  charts.push(card);
  return card;
}

export function startCharts() {
  const widths = charts.map(({ area }) => area.clientWidth);
  for (const [at, { area }] of charts.entries()) area.dataset.width = widths[at];
  for (const card of charts) card.reset();
  const observer = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      if (contentRect.width === 0 || Math.abs(contentRect.width - Number(target.dataset.width)) <= 1) continue;
      target.dataset.width = contentRect.width;
      charts.find(({ area }) => area === target).redraw();
    }
  });
  for (const { area } of charts) observer.observe(area);
}
