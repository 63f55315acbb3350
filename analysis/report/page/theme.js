import { el } from "./dom.js";

const kKey = "feedrate-theme";

// Storage may be forbidden for local files.
function remembered() {
  try {
    return localStorage.getItem(kKey);
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    localStorage.setItem(kKey, theme);
  } catch {
    // The choice is then not stored.
  }
}

function current() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen) return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function themeButton() {
  const before = remembered();
  if (before === "light" || before === "dark") document.documentElement.dataset.theme = before;
  const button = el("button", { type: "button", id: "theme", class: "quiet" });
  const show = () => {
    const other = current() === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "☾ Dark" : "☀ Light";
    button.setAttribute("aria-label", `Use ${other} colors`);
  };
  button.addEventListener("click", () => {
    const other = current() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = other;
    remember(other);
    show();
  });
  show();
  return button;
}
