// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare_watched.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/cell_text.h"
#include "analysis/watched_cells.h"

namespace feedrate {
namespace {

constexpr std::array<const char*, 6> kOfTheLoader{"num_workers", "prefetch_factor",
                                                  "pin_memory",  "persistent_workers",
                                                  "in_order",    "multiprocessing_context"};
constexpr const char* kSite = "site";

RunResult with_last_cells(const RunResult& run) {
  RunResult reduced = run;
  reduced.cells.clear();
  for (const CellResult* cell : last_cells(run)) reduced.cells.push_back(*cell);
  return reduced;
}

std::vector<std::string> texts_of(const RunResult& run, const std::string& name) {
  std::vector<std::string> texts;
  for (const CellResult& cell : run.cells) texts.push_back(setting_text(cell, name));
  return texts;
}

}  // namespace

bool are_watched(std::span<const NamedRun> runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const NamedRun& run) { return run.result->history.has_value(); });
}

WatchedComparison::WatchedComparison(std::span<const NamedRun> runs, const ComparisonRule& rule)
    : rule_(rule) {
  for (const NamedRun& run : runs) results_.push_back(with_last_cells(*run.result));
  for (std::size_t i = 0; i < runs.size(); ++i) runs_.push_back({runs[i].name, &results_[i]});
  const auto differs = [&](const std::string& name) {
    return std::any_of(results_.begin(), results_.end(), [&](const RunResult& run) {
      return texts_of(run, name) != texts_of(results_.front(), name);
    });
  };
  const bool are_single = std::all_of(results_.begin(), results_.end(),
                                      [](const RunResult& run) { return run.cells.size() == 1; });
  std::vector<std::string> names(kOfTheLoader.begin(), kOfTheLoader.end());
  if (are_single) names.emplace_back(kSite);
  std::copy_if(names.begin(), names.end(), std::back_inserter(rule_.ignored), differs);
}

}  // namespace feedrate
