import { about } from "./about.js";
import { bars } from "./bars.js";
import { startCharts } from "./card.js";
import { comparison } from "./compare.js";
import { historyChart } from "./history.js";
import { runs } from "./data.js";
import { detail } from "./detail.js";
import { el, prose, select } from "./dom.js";
import { effects } from "./effects.js";
import { filters } from "./filters.js";
import { heat } from "./heat.js";
import { memory } from "./memory.js";
import { monitor } from "./monitor.js";
import { histogram, spread } from "./spread.js";
import { chooseRun, onChange, state } from "./state.js";
import { summary } from "./summary.js";
import { table } from "./table.js";
import { themeButton } from "./theme.js";
import { prefetch, throughput } from "./throughput.js";
import { timeline } from "./timeline.js";
import { notice, verdict } from "./verdict.js";
import { warnings } from "./warnings.js";

function title() {
  const question = el("h1", {});
  const facts = el("p", { class: "facts" });
  const show = () => {
    const { raw, label } = state.run;
    question.replaceChildren(...prose(raw.question || raw.config_name || label));
    facts.textContent = [raw.config_name, raw.started_at.replace("T", " ").replace("Z", " UTC"), label].filter((text, at, all) => text && all.indexOf(text) === at).join(" · ");
    document.title = `feedrate: ${question.textContent}`;
  };
  onChange((what) => what === "run" && show());
  show();
  return el("div", {}, el("p", { class: "brand" }, "feedrate"), question, facts);
}

function runPicker() {
  if (runs.length < 2) return null;
  return select("Run", runs.map((run, place) => [String(place), run.label]), "0", (value) => chooseRun(Number(value)));
}

function build() {
  document.getElementById("top").append(title(), el("div", { class: "tools" }, runPicker(), themeButton()));
  const charts = [bars, effects, throughput, heat, memory, prefetch, spread, summary].map((make) => make().figure);
  const ofCell = [histogram, timeline, monitor].map((make) => make().figure);
  document.querySelector("main").append(...[notice(), verdict(), warnings(), historyChart().figure, comparison(), filters(), el("div", { class: "grid charts" }, charts), detail(),
    el("div", { class: "grid cell-charts" }, ofCell), table(), about()].filter(Boolean));
  startCharts();
}

const began = performance.now();
build();
// The second frame is painted after the first one's layout.
requestAnimationFrame(() => requestAnimationFrame(() => {
  document.documentElement.dataset.renderedMs = (performance.now() - began).toFixed(1);
}));
