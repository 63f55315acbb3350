import { el } from "./dom.js";
import { clearFilters, countText, onChange, passes, state, toggleFilter } from "./state.js";

function chip(name, value) {
  const text = String(value);
  const button = el("button", { type: "button", class: "chip", "aria-pressed": "false", click: () => toggleFilter(name, text) }, text);
  Object.assign(button, { filterName: name, filterText: text });
  return button;
}

function group(name) {
  return el("fieldset", {}, el("legend", {}, name), state.run.valuesOf(name).map((value) => chip(name, value)));
}

export function filters() {
  const groups = el("div", { class: "groups" });
  const count = el("p", { class: "count", role: "status" });
  const clear = el("button", { type: "button", class: "quiet small", click: clearFilters }, "Show all");
  const section = el("details", { id: "filters", class: "card", open: true },
    el("summary", {}, "Filter"), groups, el("div", { class: "filter-end" }, count, clear));
  const refresh = () => {
    for (const button of groups.querySelectorAll(".chip")) {
      const shown = state.filters.get(button.filterName)?.has(button.filterText) ?? false;
      button.setAttribute("aria-pressed", String(shown));
    }
    count.textContent = `Shown: ${countText(state.run.cells.filter(passes))}`;
    clear.disabled = state.filters.size === 0;
  };
  const rebuild = () => {
    groups.replaceChildren(...state.run.knobs.map(group));
    section.hidden = state.run.knobs.length === 0;
    refresh();
  };
  onChange((what) => {
    if (what === "run") rebuild();
    if (what === "filter") refresh();
  });
  rebuild();
  return section;
}
