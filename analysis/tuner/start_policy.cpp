// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/start_policy.h"

#include <algorithm>

namespace feedrate {
namespace {

bool contains(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::vector<std::size_t> threatening(const Ranking& ranking) {
  std::vector<double> threats(ranking.means.size(), 0.0);
  for (std::size_t i = 0; i < threats.size(); ++i) {
    threats[ranking.representative[i]] += ranking.confidence.threats[i];
  }
  std::vector<std::size_t> order = ranking.fastest_first();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return threats[a] > threats[b]; });
  std::erase_if(order, [&](std::size_t i) { return !(threats[i] > 0.0); });
  return order;
}

}  // namespace

std::vector<std::size_t> challengers(const TuneEvidence& evidence,
                                     const std::vector<std::size_t>& unsettled) {
  constexpr std::size_t kAtOnce = 2;
  const Ranking& ranking = *evidence.ranking();
  const std::size_t chosen = ranking.chosen;
  std::vector<std::size_t> found;
  if (!evidence.is_sure()) found = threatening(ranking);
  for (const std::size_t i : unsettled) {
    if (!contains(found, i)) found.push_back(i);
  }
  if (found.empty()) return found;
  std::erase_if(found, [&](std::size_t i) { return i == chosen || !evidence.may_start(i); });
  if (found.size() > kAtOnce) found.resize(kAtOnce);
  const bool has_more_starts = std::all_of(found.begin(), found.end(), [&](std::size_t i) {
    return ranking.starts(i) < ranking.starts(chosen) && !contains(unsettled, i);
  });
  if (evidence.may_start(chosen) && !has_more_starts) found.push_back(chosen);
  return found;
}

}  // namespace feedrate
