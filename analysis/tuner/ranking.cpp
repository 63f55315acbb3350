// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/best.h"
#include "analysis/conditions.h"
#include "analysis/tuner/settings.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kGivenForMemory = 0.05;
constexpr double kAsGoodAsBest = 0.01;

// Marks candidates that failed or have no prediction; below any log rate.
constexpr double kNone = -1e3;

std::vector<RateEvidence> collect(std::span<const Candidate> candidates,
                                  std::span<const CellResult> known,
                                  std::span<const std::optional<Prediction>> predictions) {
  std::vector<RateEvidence> evidence;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    RateEvidence one{&candidates[i].settings, kNone, {}, std::numeric_limits<double>::infinity()};
    const CellResult* const cell = find_cell(known, candidates[i].settings);
    const bool has_failed = cell != nullptr && cell->outcome == Outcome::kFailed;
    if (predictions[i] && !has_failed) {
      one.predicted = std::log(predictions[i]->rate);
      one.limit = std::log(predictions[i]->trainer_limit);
      if (cell != nullptr) one.starts = log_rates(*cell);
    }
    evidence.push_back(std::move(one));
  }
  return evidence;
}

template <typename Eligible>
std::size_t choose(std::span<const Candidate> candidates, const std::vector<double>& means,
                   Objective objective, const Eligible& is_eligible) {
  double best = kNone;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (is_eligible(i)) best = std::max(best, means[i]);
  }
  const double given = objective == Objective::kTime ? kAsGoodAsBest : kGivenForMemory;
  const auto is_better = [&](std::size_t a, std::size_t b) {
    const bool by_memory =
        objective == Objective::kTimeMemory && candidates[a].memory != candidates[b].memory;
    return by_memory ? candidates[a].memory < candidates[b].memory
                     : is_cheaper(candidates[a], candidates[b]);
  };
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (!is_eligible(i) || means[i] < best + std::log1p(-given)) continue;
    if (!chosen || is_better(i, *chosen)) chosen = i;
  }
  return *chosen;
}

bool is_at_limit(const Ranking& ranking, std::size_t candidate) {
  constexpr double kStall = 0.02;
  const double limit = ranking.evidence[candidate].limit;
  return std::isfinite(limit) && ranking.means[candidate] >= limit + std::log1p(-kStall);
}

bool is_gpu_bound(const Ranking& ranking, const TuneGoals& goals) {
  constexpr std::size_t kLeastStarts = 2;
  return goals.present && ranking.starts(*goals.present) >= kLeastStarts &&
         is_at_limit(ranking, *goals.present);
}

bool is_shown_to_be_faster(const Ranking& ranking, std::size_t a, std::size_t b,
                           double confidence) {
  const std::vector<double>& own = ranking.evidence[a].starts;
  const std::vector<double>& other = ranking.evidence[b].starts;
  if (own.empty() || other.empty()) return false;
  const double error =
      ranking.deviations.noise *
      std::sqrt(1.0 / static_cast<double>(own.size()) + 1.0 / static_cast<double>(other.size()));
  return mean(own) - mean(other) > student_t(confidence, ranking.deviations.noise_freedom) * error;
}

void keep_dataset(std::span<const Candidate> candidates, const TuneGoals& goals, Ranking& ranking) {
  const Settings& now = candidates[goals.present.value_or(0)].settings;
  const auto is_there = [&](std::size_t i) {
    return ranking.evidence[i].predicted != kNone && !converts_dataset(now, candidates[i].settings);
  };
  std::size_t there = 0;
  while (there < candidates.size() && !is_there(there)) ++there;
  if (there == candidates.size() || is_there(ranking.chosen)) return;
  const std::size_t kept = choose(candidates, ranking.means, goals.objective, is_there);
  if (ranking.means[kept] >= ranking.means[ranking.chosen] + std::log1p(-goals.tolerance)) {
    ranking.chosen = kept;
    return;
  }
  if (is_shown_to_be_faster(ranking, ranking.chosen, kept, goals.confidence)) return;
  ranking.conversion = std::exchange(ranking.chosen, kept);
}

std::vector<std::size_t> representatives(std::span<const Candidate> candidates,
                                         const std::vector<RateEvidence>& evidence) {
  std::map<std::string, std::size_t> cheapest;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const RateFeatures features = rate_features(candidates[i].settings);
    keys.push_back(fmt::format("{} {} {}", features.workers, features.prefetch,
                               fmt::join(features.others, "|")));
    if (evidence[i].predicted == kNone) continue;
    const auto [place, is_new] = cheapest.try_emplace(keys[i], i);
    if (!is_new && is_cheaper(candidates[i], candidates[place->second])) place->second = i;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto place = cheapest.find(keys[i]);
    chosen.push_back(place == cheapest.end() ? i : place->second);
  }
  return chosen;
}

}  // namespace

double claimed_tolerance(const TuneGoals& goals) {
  return goals.objective == Objective::kTime
             ? goals.tolerance
             : 1.0 - (1.0 - kGivenForMemory) * (1.0 - goals.tolerance);
}

std::vector<std::size_t> Ranking::fastest_first() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < means.size(); ++i) {
    if (evidence[i].predicted != kNone && representative[i] == i) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return means[a] > means[b]; });
  return order;
}

bool is_cheaper(const Candidate& a, const Candidate& b) {
  const auto cost = [](const Candidate& candidate) {
    return std::pair(cost_of(candidate.settings, candidate.memory), candidate.cell);
  };
  return cost(a) < cost(b);
}

std::vector<double> log_rates(const CellResult& cell) {
  std::vector<double> rates;
  for (const Repeat& repeat : cell.repeats) {
    const double* const rate = find_metric(repeat.metrics, "samples_per_second");
    if (rate != nullptr && *rate > 0.0) rates.push_back(std::log(*rate));
  }
  return rates;
}

const CellResult* find_cell(std::span<const CellResult> cells, const Settings& settings) {
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const CellResult& cell) {
    return cell.settings == settings;
  });
  return found == cells.end() ? nullptr : &*found;
}

std::optional<Ranking> rank_candidates(std::span<const Candidate> candidates,
                                       std::span<const CellResult> known,
                                       std::span<const std::optional<Prediction>> predictions,
                                       std::span<const PredictionError> errors,
                                       const TuneGoals& goals) {
  Ranking ranking;
  ranking.evidence = collect(candidates, known, predictions);
  const bool any = std::any_of(ranking.evidence.begin(), ranking.evidence.end(),
                               [](const RateEvidence& one) { return one.predicted != kNone; });
  if (!any) return std::nullopt;
  ranking.deviations = estimate_deviations(errors, ranking.evidence, goals.noise);
  const RateBelief belief(ranking.evidence, ranking.deviations);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    ranking.means.push_back(belief.mean(i));
    ranking.spreads.push_back(belief.deviation(i));
  }
  ranking.representative = representatives(candidates, ranking.evidence);
  ranking.is_gpu_bound = is_gpu_bound(ranking, goals);
  ranking.chosen = ranking.is_gpu_bound ? *goals.present
                                        : choose(candidates, ranking.means, goals.objective,
                                                 [](std::size_t) { return true; });
  keep_dataset(candidates, goals, ranking);
  ranking.is_at_limit = ranking.starts(ranking.chosen) > 0 && is_at_limit(ranking, ranking.chosen);
  ranking.runner_up = ranking.conversion;
  for (const std::size_t i : ranking.fastest_first()) {
    if (ranking.runner_up) break;
    if (i == ranking.representative[ranking.chosen]) continue;
    ranking.runner_up = i;
  }
  ranking.confidence = confidence_of(
      belief, candidates.size(), ranking.chosen,
      {claimed_tolerance(goals), 1.0 - kRiskPerTest * (1.0 - goals.confidence)}, goals.seed);
  return ranking;
}

}  // namespace feedrate
