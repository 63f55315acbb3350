// SPDX-License-Identifier: Apache-2.0
#include "analysis/watched_cells.h"

#include <algorithm>
#include <functional>

namespace feedrate {
namespace {

std::vector<const CellResult*> last_cells_where(
    const RunResult& run, const std::function<bool(const CourseSegment&)>& is_wanted) {
  std::vector<const CellResult*> cells;
  if (!run.course) return cells;
  for (const LoaderCourse& loader : run.course->loaders) {
    if (loader.segments.empty() || !is_wanted(loader.segments.back())) continue;
    const Settings& settings = loader.segments.back().settings;
    const auto cell = std::find_if(run.cells.begin(), run.cells.end(), [&](const CellResult& one) {
      return one.outcome == Outcome::kOk && one.settings == settings;
    });
    if (cell == run.cells.end()) continue;
    if (std::find(cells.begin(), cells.end(), &*cell) == cells.end()) cells.push_back(&*cell);
  }
  return cells;
}

}  // namespace

std::vector<const CellResult*> last_cells(const RunResult& run) {
  return last_cells_where(run, [](const CourseSegment&) { return true; });
}

std::vector<const CellResult*> kept_cells(const RunResult& run) {
  return last_cells_where(
      run, [](const CourseSegment& segment) { return segment.use == SegmentUse::kKept; });
}

}  // namespace feedrate
