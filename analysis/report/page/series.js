// The raw timings of a cell's starts, in seconds; empty for a CSV.

export function startsOf(cell) {
  return cell.raw.starts.map(({ loading, training }) => ({ loading: loading.map(toSeconds), training: training.map(toSeconds) }))
    .filter((start) => start.loading.length > 0);
}

const toSeconds = (microseconds) => (microseconds ?? 0) / 1e6;

export const stepsOf = ({ loading, training }) => loading.map((value, at) => value + (training[at] ?? 0));

export const allSteps = (cell) => startsOf(cell).flatMap(stepsOf);

export const kNoSeries = "This result has no raw timings; open run.json instead of a CSV.";
