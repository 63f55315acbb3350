// Creates elements. Text is inserted as text, never as markup, since settings and reasons come from
// files.

export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== false && value != null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}

/// Shows names between backticks as <code>.
export function prose(text) {
  return text.split(/`([^`]*)`/).map((part, at) => (at % 2 === 1 ? el("code", {}, part) : part));
}

export const plain = (text) => text.replaceAll("`", "");

/// A labeled <select>; `choices` are [value, text] pairs.
export function select(label, choices, chosen, onchange) {
  const box = el("select", { change: (event) => onchange(event.target.value) },
    choices.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  return el("label", { class: "control" }, el("span", {}, label), box);
}

export function definitions(pairs) {
  return el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]).flat());
}
