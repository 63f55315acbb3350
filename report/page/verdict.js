// The answer, first and large. Its words and figures come from the program, as on the terminal.
import { columns } from "./data.js";
import { el } from "./dom.js";
import { formatValue } from "./format.js";
import { onChange, state } from "./state.js";

const kFigures = [["samples_per_second", "samples per second"], ["loading_time", "loading, a step"], ["training_time", "training, a step"], ["au", "accelerator utilisation"], ["memory", "host memory"]];

function figure(cell, tag, meaning) {
  const value = cell.metric(tag);
  if (value === null) return null;
  const text = tag === "samples_per_second" ? cell.raw.rate_text : formatValue(value, columns.get(tag)?.unit);
  return el("div", { class: "figure" }, el("strong", {}, text), el("span", {}, meaning));
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "quiet small", "aria-label": "Copy the lines of Python" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";  // Pages opened from a file may not be allowed to.
    }
  });
  return button;
}

function tiesNote(run) {
  const others = run.tied.size - 1;
  if (others === 0) return "No other cell is within the noise of them.";
  const among = `of ${others + 1} cells that the noise cannot tell apart`;
  if (run.best === run.proposed) return `They are the fastest and the cheapest ${among}.`;
  return `They are the cheapest ${among}; the fastest is ${run.best.name} with ${run.best.rateText}.`;
}

function body(run) {
  if (!run.best) return [el("p", {}, "No cell was measured, so there is nothing to propose.")];
  return [
    el("p", { class: "eyebrow" }, run.onlyLimits ? "Fastest limit (a mock took the loader's or the trainer's part)" : "Use these settings"),
    el("p", { class: "winner" }, run.proposed.name),
    el("div", { class: "figures" }, kFigures.map(([tag, meaning]) => figure(run.proposed, tag, meaning))),
    el("p", {}, tiesNote(run)),
    run.proposed.raw.verdict ? el("p", { class: "bottleneck" }, el("strong", {}, "Bottleneck: "), run.proposed.raw.verdict) : null,
    el("div", { class: "paste" }, el("pre", { tabindex: 0, "aria-label": "Lines of Python to paste" }, run.raw.verdict.code), copyButton(run.raw.verdict.code)),
    el("details", {}, el("summary", {}, "As the terminal says it"), el("pre", {}, run.raw.verdict.text.trim())),
  ];
}

export function verdict() {
  const section = el("section", { id: "verdict", class: "card", "aria-label": "Verdict" });
  const show = () => section.replaceChildren(...body(state.run).filter(Boolean));
  onChange((what) => what === "run" && show());
  show();
  return section;
}

/// Every simulated result says so, where nobody can overlook it.
export function notice() {
  const banner = el("p", { id: "notice", role: "note" });
  const show = () => {
    const { notice: text, interrupted } = state.run.raw;
    const texts = [text && `Simulated, not measured on a GPU: ${text.replace(/^simulated device:? ?/, "") || "simulated device"}. Check it on a real one.`,
      interrupted && "The sweep was interrupted: not all cells were measured."].filter(Boolean);
    banner.textContent = texts.join(" ");
    banner.hidden = texts.length === 0;
  };
  onChange((what) => what === "run" && show());
  show();
  return banner;
}
