// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/start_policy.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

class ExpensiveStartPolicy final : public StartPolicy {
 public:
  Round next_round(const TuneEvidence& evidence) override {
    const Ranking& ranking = *evidence.ranking();
    const std::size_t chosen = ranking.chosen;
    const std::size_t present = evidence.goals().present.value_or(chosen);
    const bool is_done = ranking.is_at_limit || evidence.is_sure();
    if (ranking.is_gpu_bound) return {.ending = Ending::kGpuBound};
    const bool needs_more =
        ranking.starts(chosen) < kLeastStarts || (ranking.is_at_limit && !evidence.is_sure());
    if (needs_more && evidence.may_start(chosen)) return {Stage::kVerify, {chosen}};
    if (!is_done) {
      const Round challenge{Stage::kChallenge, challengers(evidence, unsettled(evidence))};
      if (!challenge.candidates.empty()) return challenge;
    }
    const bool is_compared = present == chosen || ranking.starts(present) > kLeastStarts;
    if (!is_compared && evidence.may_start(present)) return {Stage::kVerify, {present}};
    return {.ending = is_done ? Ending::kConfident : Ending::kExhausted};
  }

  // Compares the means of all starts, because few have a common round.
  RatioVerdict compare(const TuneEvidence& evidence, std::size_t rival) const override {
    const Ranking& ranking = *evidence.ranking();
    const std::vector<double>& own = ranking.evidence[ranking.chosen].starts;
    std::vector<double> differences;
    if (!own.empty()) differences = ranking.evidence[rival].starts;
    for (double& one : differences) one = mean(own) - one;
    return evidence.compare(differences);
  }

 private:
  std::vector<std::size_t> unsettled(const TuneEvidence& evidence) const {
    const Ranking& ranking = *evidence.ranking();
    const std::optional<std::size_t> present = evidence.goals().present;
    if (!present || *present == ranking.chosen || present == ranking.runner_up) return {};
    const Verdict verdict = compare(evidence, *present).verdict;
    if (verdict == Verdict::kWin || verdict == Verdict::kTie) return {};
    return {*present};
  }
};

}  // namespace

std::unique_ptr<StartPolicy> make_expensive_start_policy() {
  return std::make_unique<ExpensiveStartPolicy>();
}

}  // namespace feedrate
