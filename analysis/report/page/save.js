// Saves charts as SVG and PNG, and the table as CSV, in the browser: nothing is sent.
import { state } from "./state.js";

const kProperties = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];
const kSvg = "http://www.w3.org/2000/svg";
const kHead = 40;

export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Copies computed styles into the picture, which lacks the page's style sheet; inherited values are
// skipped.
function freeze(from, to, inherited = {}) {
  const style = getComputedStyle(from);
  const own = {};
  for (const property of kProperties) {
    own[property] = style.getPropertyValue(property);
    to.removeAttribute(property);
    if (own[property] !== inherited[property]) to.style.setProperty(property, own[property]);
  }
  to.removeAttribute("class");
  own.opacity = "1";  // Opacity is not inherited.
  for (let i = 0; i < from.children.length; ++i) freeze(from.children[i], to.children[i], own);
}

function svgText(content, y, size, colour) {
  const text = document.createElementNS(kSvg, "text");
  text.setAttribute("x", 12);
  text.setAttribute("y", y);
  text.setAttribute("style", `font: ${size}px system-ui, sans-serif; fill: ${colour}`);
  text.textContent = content;
  return text;
}

function picture(svg, title) {
  const page = getComputedStyle(document.documentElement);
  const copy = svg.cloneNode(true);
  const unseen = [...copy.querySelectorAll(".hit")];
  freeze(svg, copy);
  for (const mark of unseen) mark.remove();
  const width = Number(svg.getAttribute("width")) + 24;
  const height = Number(svg.getAttribute("height")) + kHead + 12;
  const whole = document.createElementNS(kSvg, "svg");
  whole.setAttribute("xmlns", kSvg);
  for (const [name, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) whole.setAttribute(name, value);
  const ground = document.createElementNS(kSvg, "rect");
  for (const [name, value] of [["width", width], ["height", height], ["fill", page.getPropertyValue("--card").trim()]]) ground.setAttribute(name, value);
  copy.setAttribute("x", 12);
  copy.setAttribute("y", kHead);
  whole.append(ground, svgText(title, 18, 14, page.getPropertyValue("--ink").trim()),
    svgText([state.run.raw.notice, state.run.label].filter(Boolean).join(" · "), 33, 11, page.getPropertyValue("--muted").trim()), copy);
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

export function saveSvg(svg, title, name) {
  download(`${name}.svg`, new Blob([picture(svg, title).text], { type: "image/svg+xml" }));
}

/// Resolves to the blob.
export async function savePng(svg, title, name) {
  const { text, width, height } = picture(svg, title);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * width;
  canvas.height = 2 * height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  download(`${name}.png`, blob);
  return blob;
}

export function saveCsv() {
  download(`${state.run.raw.config_name || "cells"}.csv`, new Blob([state.run.raw.csv], { type: "text/csv" }));
}
