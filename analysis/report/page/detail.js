import { columns } from "./data.js";
import { definitions, el, prose } from "./dom.js";
import { formatValue } from "./format.js";
import { chooseCell, onChange, state } from "./state.js";

const kStages = [["wait_time", "waiting for the batch"], ["copy_time", "in the copy call"], ["training_time", "training, on the host"],
  ["copy_time_device", "copying, on the device"], ["compute_time_device", "computing, on the device"],
  ["read_time", "reading a sample"], ["decode_time", "decoding a sample"], ["transform_time", "transforming a sample"], ["cpu_time", "CPU time per sample"]];

function picker() {
  const all = [...state.run.choosable, ...state.run.limits];
  const box = el("select", { id: "cell", change: () => chooseCell(state.run.cells[Number(box.value)]) },
    all.map((cell) => el("option", { value: cell.place, selected: cell === state.cell }, cell.shortName)));
  return el("label", { class: "control" }, el("span", {}, "Selected cell"), box);
}

function facts(cell) {
  const known = kStages.filter(([tag]) => cell.metric(tag) !== null);
  return definitions(known.map(([tag, name]) => [name, formatValue(cell.metric(tag), columns.get(tag)?.unit)]));
}

function everything(cell) {
  const settings = state.run.raw.settings.filter((name) => cell.text(name) !== "").map((name) => [name, cell.text(name)]);
  const metrics = state.run.raw.metrics.filter((tag) => cell.metric(tag) !== null).map((tag) => [tag, formatValue(cell.metric(tag), columns.get(tag)?.unit)]);
  return el("details", {}, el("summary", {}, "All settings and metrics"), definitions([...settings, ...metrics]));
}

function summary(cell) {
  const text = state.run.raw.profiles[String(cell.raw.index)];
  if (text) return el("pre", { tabindex: 0, "aria-label": "Execution Summary" }, text.trim());
  if (state.run.raw.history) return "";
  return el("p", { class: "note" }, "No Execution Summary; run the sweep with --profile to record it.");
}

export function detail() {
  const choice = el("div", { class: "controls" });
  const content = el("div", {});
  const section = el("section", { id: "detail", class: "card", "aria-labelledby": "detail-title" },
    el("header", {}, el("h2", { id: "detail-title" }, "The selected cell")),
    el("p", { class: "hint" }, "Select a cell here, or click it or press Enter in any chart or in the table."), choice, content);
  const refresh = () => {
    const advice = (cell) => (cell.raw.advice.length > 0 ? el("ul", { class: "advice" }, cell.raw.advice.map((line) => el("li", {}, prose(line)))) : null);
    const { cell } = state;
    const box = choice.querySelector("select");
    if (box && cell) box.value = String(cell.place);
    if (!cell) return content.replaceChildren();
    content.replaceChildren(el("div", { class: "halves" }, el("div", {}, el("p", { class: "winner" }, cell.name), el("p", {}, prose(cell.raw.reason || cell.raw.verdict)), facts(cell), advice(cell)), el("div", {}, summary(cell))), everything(cell));
  };
  const rebuild = () => {
    choice.replaceChildren(picker());
    refresh();
  };
  onChange((what) => {
    if (what === "run") rebuild();
    if (what === "cell") refresh();
  });
  rebuild();
  return section;
}
