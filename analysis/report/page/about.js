import { definitions, el, prose } from "./dom.js";
import { onChange, state } from "./state.js";

const list = (texts) => el("ul", {}, texts.map((text) => el("li", {}, prose(text))));

function section(title, ...content) {
  return el("section", { class: "card" }, el("h2", {}, title), ...content);
}

function notMeasured(run) {
  const reasons = new Map();
  for (const cell of run.cells) {
    if (cell.outcome === "ok") continue;
    const failed = cell.outcome === "failed";
    const text = failed ? `failed: ${cell.name}: ${cell.raw.reason}` : `${cell.outcome}: ${cell.raw.reason || "not run"}`;
    reasons.set(text, (reasons.get(text) ?? 0) + 1);
  }
  if (reasons.size === 0) return null;
  return section("Not measured", list([...reasons].map(([text, count]) => `${count} ${count === 1 ? "cell" : "cells"} ${text}`)));
}

function environment(run) {
  return section("Environment", definitions(run.raw.facts), run.raw.jobid ? definitions([["Slurm job", run.raw.jobid]]) : null);
}

function sweep(run) {
  return section(run.raw.history ? "The command" : "The sweep",
    run.raw.constant.length > 0 ? el("details", { open: true }, el("summary", {}, "Constant in all cells"), definitions(run.raw.constant)) : null,
    run.raw.command ? [el("h3", {}, "Command"), el("pre", { tabindex: 0 }, run.raw.command)] : null,
    run.raw.config_text ? el("details", {}, el("summary", {}, "Configuration"), el("pre", {}, run.raw.config_text)) : null);
}

export function about() {
  const grid = el("div", { class: "grid", id: "about" });
  const show = () => grid.replaceChildren(...[notMeasured(state.run), environment(state.run), sweep(state.run)].filter(Boolean));
  onChange((what) => what === "run" && show());
  show();
  return grid;
}
