import { chartCard } from "./card.js";
import { runs } from "./data.js";
import { select } from "./dom.js";
import { message } from "./frame.js";
import { drawLines, kMostOverlaid } from "./lines.js";
import { passes, shownCells, shownLimits, state } from "./state.js";

let chosen = {};
let overlaid = "all";

const isNumber = (name) => state.run.isNumeric(name);

function firstOf(names, wanted) {
  return wanted.find((name) => names.includes(name)) ?? names.find(isNumber) ?? names[0];
}

function axes() {
  const knobs = state.run.knobs;
  const x = knobs.includes(chosen.x) ? chosen.x : firstOf(knobs, ["num_workers", "prefetch_factor", "batch_size"]);
  const rest = knobs.filter((name) => name !== x);
  const series = chosen.series === "" || rest.includes(chosen.series) ? chosen.series : rest.includes("format") ? "format" : knobs.length > 1 ? state.run.mostInfluential(rest) : "";
  return { x, series };
}

const named = (names) => names.map((name) => [name, name]);

const otherRuns = () => runs.filter((run) => run !== state.run);

function runControl(card) {
  const change = (value) => { overlaid = value; card.redraw(); };
  return runs.length < 2 ? [] : [select("Runs", [["all", "all, overlaid"], ["one", "the run above"]], overlaid, change)];
}

function controls(card) {
  return [...axisControls(card), ...runControl(card)];
}

function axisControls(card) {
  const knobs = state.run.knobs;
  if (knobs.length < 2) return [];
  const { x, series } = axes();
  const choose = (key) => (value) => { chosen = { ...axes(), [key]: value }; card.redraw(); };
  return [select("Over", named(knobs), x, choose("x")), select("One line per", [...named(knobs), ["", "nothing"]], series, choose("series"))];
}

export const throughput = () => chartCard({
  id: "throughput",
  title: "Throughput",
  hint: "Bands are 95 % confidence intervals over the repeats. Apart from noise, no loader setting raises a line above the trainer limit.",
  controls,
  draw(area) {
    const { x, series } = axes();
    if (!x) return message(area, "All cells have the same settings, so there is no axis for a line.");
    const others = overlaid === "all" ? otherRuns().slice(0, kMostOverlaid).map((run) => ({ run, cells: run.choosable.filter(passes) })) : [];
    const note = drawLines(area, { cells: shownCells(), limits: shownLimits(), x, series, others, label: `Samples per second over ${x}` });
    return [note, limitsNote(), runsNote(others.length)].filter(Boolean).join(" ");
  },
});

function limitsNote() {
  if (state.run.limits.length > 0 || state.run.onlyLimits || state.run.raw.history) return "";
  return "The reference cells were not measured; run the sweep with --axis loader=dataloader,cached --axis trainer=burn,discard.";
}

function runsNote(shown) {
  if (shown === 0) return "";
  const more = otherRuns().length - shown;
  const left = more > 0 ? `; ${more} further run${more > 1 ? "s are" : " is"} not shown` : "";
  return `Solid, with bands and limits: ${state.run.label}. Dashed, with whiskers: the other runs${left}.`;
}

export const prefetch = () => chartCard({
  id: "prefetch",
  title: "Effect of prefetching",
  hint: "Rates over prefetch_factor, one line per num_workers. Where a line is flat, a larger factor only costs memory.",
  draw(area) {
    const run = state.run;
    if (!run.knobs.includes("prefetch_factor")) {
      const only = run.valuesOf("prefetch_factor").join(", ");
      return message(area, only ? `prefetch_factor was ${only} in every cell. To see its effect, run the sweep with --axis prefetch_factor=1,2,4,8.`
        : "No cell of this run has a prefetch_factor.");
    }
    const series = run.knobs.includes("num_workers") ? "num_workers" : "";
    return drawLines(area, { cells: shownCells().filter((cell) => cell.text("prefetch_factor") !== ""), limits: [], x: "prefetch_factor", series, label: "Samples per second over prefetch_factor" });
  },
});
