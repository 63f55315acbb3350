// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/ranked_engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/rank_rules.h"
#include "core/error.h"

namespace feedrate {
namespace {

// Throws the first error that is not the consequence of another one.
void throw_what_failed(const std::vector<RankReport>& answers) {
  const auto failed = std::find_if(answers.begin(), answers.end(), [](const RankReport& answer) {
    return !answer.error.empty() && !answer.is_consequence;
  });
  if (failed == answers.end()) return;
  throw Error(
      fmt::format("rank {} on {}: {}", failed->figures.rank, failed->figures.node, failed->error));
}

Repeat together(std::vector<RankReport> answers) {
  Repeat repeat;
  for (RankReport& answer : answers) {
    answer.figures.metrics = std::move(answer.repeat.metrics);
    repeat.ranks.push_back(std::move(answer.figures));
  }
  repeat.metrics = combine_ranks(repeat.ranks);
  repeat.series = std::move(answers.at(slowest_of(repeat.ranks)).repeat.series);
  return repeat;
}

class RankedEngine final : public CellEngine {
 public:
  RankedEngine(std::unique_ptr<CellEngine> single, std::shared_ptr<RankLauncher> launcher,
               RankedEngineOptions options)
      : single_(std::move(single)), launcher_(std::move(launcher)), options_(std::move(options)) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    if (cell.job.ranks == 1) return single_->run(cell, stop);
    options_.order.settings = cell.settings;
    std::vector<RankReport> answers = launcher_->measure(options_.order, cell.job.ranks, stop);
    throw_what_failed(answers);
    for (const RankReport& answer : answers) tell(answer);
    return together(std::move(answers));
  }

 private:
  void tell(const RankReport& answer) const {
    for (const std::string& what : answer.damaged) options_.on_damaged(what);
    for (const std::string& warning : answer.warnings) options_.on_warning(warning);
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
