// SPDX-License-Identifier: Apache-2.0
#include "analysis/watched_cells.h"

#include <algorithm>
#include <functional>

namespace feedrate {
namespace {

using IsWanted = std::function<bool(const HistorySegment&)>;

// The cell of the last measured segment: a script may end during a trial, too early to measure.
// Null if the segment is not wanted.
const CellResult* last_cell(const RunResult& run, const LoaderHistory& loader,
                            const IsWanted& is_wanted) {
  for (auto segment = loader.segments.rbegin(); segment != loader.segments.rend(); ++segment) {
    const auto cell = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& one) {
      return one.outcome == Outcome::kOk && one.settings == segment->settings;
    });
    if (cell != run.cells.end()) return is_wanted(*segment) ? &*cell : nullptr;
  }
  return nullptr;
}

std::vector<const CellResult*> last_cells_where(const RunResult& run, const IsWanted& is_wanted) {
  std::vector<const CellResult*> cells;
  if (!run.history) return cells;
  for (const LoaderHistory& loader : run.history->loaders) {
    const CellResult* const cell = last_cell(run, loader, is_wanted);
    if (cell == nullptr) continue;
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::vector<const CellResult*> last_cells(const RunResult& run) {
  return last_cells_where(run, [](const HistorySegment&) { return true; });
}

std::vector<const CellResult*> kept_cells(const RunResult& run) {
  return last_cells_where(
      run, [](const HistorySegment& segment) { return segment.use == SegmentUse::kKept; });
}

}  // namespace feedrate
