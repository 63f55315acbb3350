import { el, prose } from "./dom.js";
import { onChange, state } from "./state.js";

export function warnings() {
  const section = el("section", { id: "warnings", class: "card", "aria-labelledby": "warnings-title" });
  const show = () => {
    const texts = state.run.raw.warnings;
    section.replaceChildren(el("h2", { id: "warnings-title" }, "Warnings"),
      texts.length > 0 ? el("ul", {}, texts.map((text) => el("li", {}, prose(text)))) : el("p", { class: "note" }, "None."));
  };
  onChange((what) => what === "run" && show());
  show();
  return section;
}
