// All warnings of the run, below the result; the program puts the largest first.
import { el, prose } from "./dom.js";
import { onChange, state } from "./state.js";

export function doubts() {
  const section = el("section", { id: "doubts", class: "card", "aria-labelledby": "doubts-title" });
  const show = () => {
    const texts = state.run.raw.doubts;
    section.replaceChildren(el("h2", { id: "doubts-title" }, "Warnings"),
      texts.length > 0 ? el("ul", {}, texts.map((text) => el("li", {}, prose(text)))) : el("p", { class: "note" }, "None."));
  };
  onChange((what) => what === "run" && show());
  show();
  return section;
}
