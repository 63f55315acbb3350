// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/foreign_load.h"
#include "analysis/tuner/start_policy.h"

namespace feedrate {
namespace {

std::map<std::size_t, const Repeat*> starts_by_round(const CellResult* cell) {
  std::map<std::size_t, const Repeat*> starts;
  if (cell == nullptr) return starts;
  for (const Repeat& start : cell->repeats) {
    const double* const rate = find_metric(start.metrics, "samples_per_second");
    if (start.round && rate != nullptr && *rate > 0.0) starts[*start.round] = &start;
  }
  return starts;
}

double log_rate_of(const Repeat& start) {
  return std::log(*find_metric(start.metrics, "samples_per_second"));
}

std::vector<std::size_t> rivals(const TuneEvidence& evidence) {
  const Ranking& ranking = *evidence.ranking();
  const std::optional<std::size_t> present = evidence.goals().present;
  std::vector<std::size_t> others;
  if (ranking.runner_up) others.push_back(*ranking.runner_up);
  if (present && *present != ranking.chosen && present != ranking.runner_up) {
    others.push_back(*present);
  }
  return others;
}

class RoundPolicy final : public StartPolicy {
 public:
  Round next_round(const TuneEvidence& evidence) override {
    Round round{Stage::kVerify, to_verify(evidence)};
    if (round.candidates.empty()) round = {Stage::kHalve, to_halve(evidence)};
    if (!round.candidates.empty()) return round;
    if (evidence.ranking()->is_gpu_bound) return {.ending = Ending::kGpuBound};
    const std::vector<std::size_t> open = unsettled(evidence);
    const bool is_decided = std::none_of(open.begin(), open.end(),
                                         [&](std::size_t i) { return evidence.may_start(i); });
    if (evidence.is_sure() && is_decided) return {.ending = Ending::kConfident};
    return {Stage::kChallenge, challengers(evidence, open), Ending::kExhausted};
  }

  // Rounds that other programs disturbed do not count.
  RatioVerdict compare(const TuneEvidence& evidence, std::size_t rival) const override {
    const auto of_rival = starts_by_round(evidence.cell_of(rival));
    std::vector<double> differences;
    std::size_t disturbed = 0;
    for (const auto& [round, start] :
         starts_by_round(evidence.cell_of(evidence.ranking()->chosen))) {
      const auto same = of_rival.find(round);
      if (same == of_rival.end()) continue;
      if (is_disturbed(*start) || is_disturbed(*same->second)) {
        ++disturbed;
      } else {
        differences.push_back(log_rate_of(*start) - log_rate_of(*same->second));
      }
    }
    RatioVerdict verdict = evidence.compare(differences);
    verdict.disturbed = disturbed;
    return verdict;
  }

  // Falls back after an error above 10 % plus twice the noise.
  void add(const TuneEvidence& evidence, std::size_t candidate) override {
    constexpr double kTooFarOff = 0.10;
    constexpr std::size_t kFinalists = 10;
    const std::optional<PredictionError> error = evidence.error_of(candidate);
    if (!fallback_.empty() || !error) return;
    const Ranking& ranking = *evidence.ranking();
    const double noise =
        2.0 * ranking.deviations.noise / std::sqrt(static_cast<double>(error->starts));
    if (std::abs(error->error) <= kTooFarOff + noise) return;
    finalists_ = ranking.fastest_first();
    if (finalists_.size() > kFinalists) finalists_.resize(kFinalists);
    fallback_ = finalists_;
  }

  std::span<const std::size_t> fallback() const override { return fallback_; }

 private:
  std::vector<std::size_t> to_verify(const TuneEvidence& evidence) const {
    const Ranking& ranking = *evidence.ranking();
    if (!evidence.may_start(ranking.chosen)) return {};
    std::vector<std::size_t> wanted = rivals(evidence);
    std::erase_if(wanted, [&](std::size_t i) {
      const RatioVerdict known = compare(evidence, i);
      const std::size_t rounds = known.rounds + known.disturbed;
      return known.verdict == Verdict::kWin || rounds >= kLeastStarts || !evidence.may_start(i);
    });
    if (!wanted.empty() || ranking.starts(ranking.chosen) < kLeastStarts) {
      wanted.push_back(ranking.chosen);
    }
    return wanted;
  }

  // Each finalist gets one start, the better half two, and so on.
  std::vector<std::size_t> to_halve(const TuneEvidence& evidence) {
    const Ranking& ranking = *evidence.ranking();
    while (finalists_.size() > 1) {
      std::vector<std::size_t> wanted = finalists_;
      std::erase_if(wanted, [&](std::size_t i) {
        return ranking.starts(i) >= rung_ || !evidence.may_start(i);
      });
      if (!wanted.empty()) return wanted;
      std::sort(finalists_.begin(), finalists_.end(),
                [&](std::size_t a, std::size_t b) { return ranking.means[a] > ranking.means[b]; });
      finalists_.resize(finalists_.size() / 2);
      rung_ *= 2;
    }
    finalists_.clear();
    return {};
  }

  // A LOSE verdict is not settled: the recommendation must change.
  std::vector<std::size_t> unsettled(const TuneEvidence& evidence) const {
    std::vector<std::size_t> open = rivals(evidence);
    std::erase_if(open, [&](std::size_t i) {
      const Verdict verdict = compare(evidence, i).verdict;
      return verdict == Verdict::kWin || verdict == Verdict::kTie;
    });
    return open;
  }

  std::vector<std::size_t> fallback_;   // The best ten by prediction after a large error.
  std::vector<std::size_t> finalists_;  // Those left in the halving.
  std::size_t rung_ = 1;                // Starts that each finalist needs.
};

}  // namespace

std::unique_ptr<StartPolicy> make_round_policy() { return std::make_unique<RoundPolicy>(); }

}  // namespace feedrate
