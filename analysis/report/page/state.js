import { runs } from "./data.js";

const listeners = [];

export const state = {
  run: runs[0],
  filters: new Map(),  // From a setting to its shown texts.
  cell: runs[0].proposed ?? runs[0].cells[0] ?? null,
};

/// Calls `told` with "run", "filter", "cell" or "theme".
export function onChange(told) {
  listeners.push(told);
}

function tell(what) {
  for (const told of listeners) told(what);
}

export function chooseRun(place) {
  state.run = runs[place];
  state.filters = new Map();
  state.cell = state.run.proposed ?? state.run.cells[0] ?? null;
  tell("run");
}

export function chooseCell(cell) {
  state.cell = cell;
  tell("cell");
}

export function toggleFilter(name, text) {
  const shown = new Set(state.filters.get(name) ?? []);
  if (!shown.delete(text)) shown.add(text);
  if (shown.size > 0) state.filters.set(name, shown);
  else state.filters.delete(name);
  tell("filter");
}

export function clearFilters() {
  state.filters.clear();
  tell("filter");
}

/// A knob without a meaning in the cell passes.
export function passes(cell) {
  for (const [name, shown] of state.filters) {
    const text = cell.text(name);
    if (text !== "" && !shown.has(text)) return false;
  }
  return true;
}

const kKinds = [["cell", "cells"], ["reference cell", "reference cells"], ["not measured", "not measured"]];

function kindOf(cell) {
  if (!cell.isMeasured) return 2;
  return cell.isLimit ? 1 : 0;
}

/// "24 cells and 2 of 8 reference cells": the shown part of the run's cells.
export function countText(shown) {
  const parts = kKinds.map(([one, several], kind) => {
    const [part, whole] = [shown, state.run.cells].map((cells) => cells.filter((cell) => kindOf(cell) === kind).length);
    if (whole === 0) return null;
    return `${part < whole ? `${part} of ` : ""}${whole} ${whole === 1 ? one : several}`;
  });
  return new Intl.ListFormat("en-GB").format(parts.filter(Boolean));
}

export const shownCells = () => state.run.choosable.filter(passes);
export const shownLimits = () => state.run.limits.filter(passes);
