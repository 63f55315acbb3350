// The search of the table: all words must match. "lmdb" is any text of the cell, "num_workers=4" a
// setting, "memory<1e9" and "au>0.9" a number in base units.

function numberOf(cell, name) {
  const value = cell.metric(name) ?? cell.setting(name);
  return typeof value === "number" ? value : null;
}

function test(word) {
  const parts = /^([^=<>]+)(=|<|>)(.+)$/.exec(word);
  if (!parts) return (cell) => [cell.name, cell.outcome, cell.raw.reason, cell.raw.bottleneck].some((text) => text.toLowerCase().includes(word.toLowerCase()));
  const [, name, sign, wanted] = parts;
  if (sign === "=") return (cell) => cell.text(name).toLowerCase() === wanted.toLowerCase() || numberOf(cell, name) === Number(wanted);
  return (cell) => {
    const value = numberOf(cell, name);
    return value !== null && (sign === "<" ? value < Number(wanted) : value > Number(wanted));
  };
}

export function matcher(text) {
  const tests = text.trim().split(/\s+/).filter(Boolean).map(test);
  return (cell) => tests.every((fits) => fits(cell));
}
