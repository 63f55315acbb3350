// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/ranked_engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/rank_rules.h"
#include "core/error.h"

namespace feedrate {
namespace {

void throw_first_cause(const std::vector<RankReport>& reports) {
  const auto failed = std::find_if(reports.begin(), reports.end(), [](const RankReport& report) {
    return !report.error.empty() && !report.is_consequence;
  });
  if (failed == reports.end()) return;
  throw Error(
      fmt::format("rank {} on {}: {}", failed->figures.rank, failed->figures.node, failed->error));
}

Repeat combine_reports(std::vector<RankReport> reports) {
  Repeat repeat;
  for (RankReport& report : reports) {
    report.figures.metrics = std::move(report.repeat.metrics);
    repeat.ranks.push_back(std::move(report.figures));
  }
  repeat.metrics = combine_ranks(repeat.ranks);
  repeat.series = std::move(reports.at(slowest_of(repeat.ranks)).repeat.series);
  return repeat;
}

class RankedEngine final : public CellEngine {
 public:
  RankedEngine(std::unique_ptr<CellEngine> single, std::shared_ptr<RankLauncher> launcher,
               RankedEngineOptions options)
      : single_(std::move(single)), launcher_(std::move(launcher)), options_(std::move(options)) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    if (cell.job.ranks == 1) return single_->run(cell, stop);
    options_.request.settings = cell.settings;
    std::vector<RankReport> reports = launcher_->measure(options_.request, cell.job.ranks, stop);
    throw_first_cause(reports);
    for (const RankReport& report : reports) pass_on(report);
    return combine_reports(std::move(reports));
  }

 private:
  void pass_on(const RankReport& report) const {
    for (const std::string& what : report.damaged) options_.on_damaged(what);
    for (const std::string& warning : report.warnings) options_.on_warning(warning);
  }

  std::unique_ptr<CellEngine> single_;
  std::shared_ptr<RankLauncher> launcher_;
  RankedEngineOptions options_;
};

}  // namespace

std::unique_ptr<CellEngine> make_ranked_engine(std::unique_ptr<CellEngine> single,
                                               std::shared_ptr<RankLauncher> launcher,
                                               RankedEngineOptions options) {
  return std::make_unique<RankedEngine>(std::move(single), std::move(launcher), std::move(options));
}

}  // namespace feedrate
