import { columns } from "./data.js";
import { el, prose } from "./dom.js";
import { formatValue } from "./format.js";
import { onChange, state } from "./state.js";

const kFigures = [["samples_per_second", "samples per second"], ["loading_time", "loading per step"], ["training_time", "training per step"], ["au", "accelerator utilization"], ["memory", "host memory"]];

function figure(cell, tag, meaning) {
  const value = cell.metric(tag);
  if (value === null) return null;
  const text = tag === "samples_per_second" ? cell.raw.rate_text : formatValue(value, columns.get(tag)?.unit);
  return el("div", { class: "figure" }, el("strong", {}, text), el("span", {}, meaning));
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "quiet small", "aria-label": "Copy the Python code" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy manually";  // Local files may lack the permission.
    }
  });
  return button;
}

/// Copies only the code, which is empty if a change only removes lines.
function paste(shown, code) {
  return el("div", { class: "paste" }, el("pre", { class: shown === code ? null : "diff", tabindex: 0, "aria-label": "Python code to paste" }, shown), code ? copyButton(code) : "");
}

function answerBlock(run, answer) {
  const { proposed: cell, remarks } = answer;
  const title = run.onlyLimits ? "Fastest reference cell (with a mock loader or a mock trainer)" : "Proposed";
  return el("div", { class: "answer" },
    el("p", { class: "eyebrow" }, answer.conditions ? `${title} with ${answer.conditions}` : title),
    el("p", { class: "winner" }, cell.name),
    el("div", { class: "figures" }, kFigures.map(([tag, meaning]) => figure(cell, tag, meaning)).filter(Boolean)),
    el("p", {}, prose(answer.certainty)),
    answer.fastest === cell ? "" : el("p", {}, `The fastest is ${answer.fastest.name} with ${answer.fastest.rateText}.`),
    remarks.caution ? el("p", {}, el("strong", {}, prose(remarks.caution))) : "",
    remarks.whose ? el("p", {}, `These are ${remarks.whose}.`) : "",
    cell.raw.verdict ? el("p", { class: "bottleneck" }, el("strong", {}, "Bottleneck: "), prose(cell.raw.verdict)) : "",
    answer.code ? [el("p", {}, prose(remarks.lines_heading)), paste(answer.code, answer.code)] : "");
}

function said({ answer, facts, changes, code }) {
  return [el("p", { class: "eyebrow" }, "Verdict"), el("p", { class: "winner" }, answer || "No steps were measured."),
    facts.length > 0 ? el("ul", { class: "said" }, facts.map((fact) => el("li", {}, fact))) : "",
    changes.length > 0 ? [el("p", {}, "To keep it, change in the script:"), paste(changes.join("\n"), code)] : ""].flat();
}

function body(run) {
  if (run.raw.said) return said(run.raw.said);
  if (run.answers.length === 0) return [el("p", {}, "No cell was measured, so there is nothing to propose.")];
  return [...run.answers.map((answer) => answerBlock(run, answer)),
    el("details", {}, el("summary", {}, "Terminal output"), el("pre", {}, run.raw.verdict.text.trim()))];
}

export function verdict() {
  const section = el("section", { id: "verdict", class: "card", "aria-label": "Result" });
  const show = () => section.replaceChildren(...body(state.run).filter(Boolean));
  onChange((what) => what === "run" && show());
  show();
  return section;
}

export function notice() {
  const banner = el("p", { id: "notice", role: "note" });
  const show = () => {
    const { notice: text, interrupted, foreign_load: foreignLoad } = state.run.raw;
    const texts = [text && `Simulated, not measured on a GPU: ${text.replace(/^simulated device:? ?/, "") || "simulated device"}. Verify on a real device.`,
      interrupted && (state.run.raw.history ? "The run was interrupted." : "The sweep was interrupted: not all cells were measured."), foreignLoad].filter(Boolean);
    banner.replaceChildren(...prose(texts.join(" ")));
    banner.hidden = texts.length === 0;
  };
  onChange((what) => what === "run" && show());
  show();
  return banner;
}
