const page = JSON.parse(document.getElementById("data").textContent);

export const columns = new Map(page.columns.map((column) => [column.tag, column]));
export const comparisons = page.comparisons;

class Cell {
  constructor(run, raw, place) {
    Object.assign(this, { run, raw, place });
    this.name = raw.name;
    this.outcome = raw.outcome;
    this.isLimit = raw.limit;
    this.rate = this.metric("samples_per_second");
    this.isMeasured = raw.outcome === "ok" && this.rate > 0;
    this.answer = null;  // The answer that includes it; ratio is its rate / the fastest's, within rounds.
    this.ratio = null;
  }

  metric(tag) {
    const at = this.run.metricPlace.get(tag);
    return at === undefined ? null : this.raw.metrics[at] ?? null;
  }

  setting(name) {
    const at = this.run.settingPlace.get(name);
    return at === undefined ? "" : this.raw.settings[at];
  }

  /// Same as on the terminal; empty if the knob has no meaning in this cell.
  text(name) {
    return String(this.setting(name));
  }

  get isProposed() {
    return this.answer?.proposed === this;
  }

  get rateText() {
    return `${this.raw.rate_text} samples/s`;
  }

  describe(names) {
    const text = names.filter((name) => this.text(name) !== "")
      .map((name) => `${name}=${this.text(name)}`).join(" ");
    return text || `cell ${this.raw.index}`;
  }

  get values() {
    return this.run.knobs.map((name) => this.text(name) || "–").join(" · ");
  }

  get shortName() {
    return this.isLimit && !this.run.onlyLimits ? this.name : this.describe(this.run.knobs);
  }
}

const places = (names) => new Map(names.map((name, place) => [name, place]));

function differ(cells, name) {
  return new Set(cells.map((cell) => cell.text(name)).filter((text) => text !== "")).size > 1;
}

class Run {
  constructor(raw, place) {
    Object.assign(this, { raw, place });
    this.settingPlace = places(raw.settings);
    this.metricPlace = places(raw.metrics);
    this.cells = raw.cells.map((cell, at) => new Cell(this, cell, at));
    this.measured = this.cells.filter((cell) => cell.isMeasured);
    const choosable = this.measured.filter((cell) => !cell.isLimit);
    this.onlyLimits = choosable.length === 0;
    /// Choosable cells, fastest first.
    this.choosable = (this.onlyLimits ? this.measured : choosable).slice().sort((a, b) => b.rate - a.rate);
    this.limits = this.onlyLimits ? [] : this.measured.filter((cell) => cell.isLimit);
    this.knobs = raw.settings.filter((name) => differ(this.choosable, name));
    /// One per value of the swept conditions, as the program decided.
    this.answers = raw.verdict.answers.map((answer) => ({ ...answer, proposed: this.cells[answer.proposed], fastest: this.cells[answer.fastest] }));
    for (const answer of this.answers) {
      answer.proposed.answer = answer;
      for (const [at, ratio] of answer.cells) Object.assign(this.cells[at], { answer, ratio });
    }
    this.best = this.answers[0]?.fastest ?? null;
    this.proposed = this.answers[0]?.proposed ?? null;
  }

  /// The measured cell with exactly these settings, or null.
  cellWith(settings) {
    return this.measured.find((cell) => this.raw.settings.every((name) => cell.text(name) === String(settings[name] ?? ""))) ?? null;
  }

  valuesOf(name, cells = this.choosable) {
    const values = new Map(cells.filter((cell) => cell.text(name) !== "").map((cell) => [cell.text(name), cell.setting(name)]));
    return [...values.values()].sort(compareValues);
  }

  isNumeric(name) {
    const values = this.valuesOf(name);
    return values.length > 0 && values.every((value) => typeof value === "number");
  }

  mostInfluential(names) {
    const spread = (name) => {
      const means = this.valuesOf(name).map((value) => d3.mean(this.choosable.filter((cell) => cell.setting(name) === value), (cell) => cell.rate));
      return d3.max(means) / d3.min(means);
    };
    return names.slice().sort((a, b) => spread(b) - spread(a))[0];
  }

  get label() {
    return this.raw.title;
  }
}

export function compareValues(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}

export const runs = page.runs.map((run, place) => new Run(run, place));
