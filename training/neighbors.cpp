// SPDX-License-Identifier: Apache-2.0
#include "training/neighbors.h"

#include <algorithm>

namespace feedrate {
namespace {

constexpr std::size_t kMostNeighbors = 64;
// Batches in one gap of a loader of which it is not yet known how often it comes.
constexpr std::size_t kFewAtFirst = 2;
constexpr std::size_t kKnownSteps = 3;

}  // namespace

void Neighbors::add(const LoaderKey& key, const WatchedLoader& loader, Nanos at,
                    std::optional<double> loading) {
  auto visit = std::find_if(visits_.begin(), visits_.end(),
                            [&](const Visit& one) { return one.key == key; });
  if (visit == visits_.end()) {
    if (visits_.size() == kMostNeighbors) return;
    visit = visits_.insert(visit, {.key = key, .first = at});
  }
  visit->loader = &loader;
  if (loading) ++visit->batches;
  visit->loading += loading.value_or(0.0);
}

std::vector<Neighbors::Visit> Neighbors::end_gap(Nanos now) {
  std::vector<Visit> visits = std::exchange(visits_, {});
  // A loader that takes from another one asks it after the gap, for its own next batch.
  std::erase_if(visits, [&](const Visit& visit) { return visit.first >= now; });
  for (const Visit& visit : visits) {
    if (interleaved_.size() < kMostNeighbors) interleaved_[visit.key];
  }
  for (auto& [key, interleaving] : interleaved_) {
    const auto visit = std::find_if(visits.begin(), visits.end(),
                                    [&, &key = key](const Visit& one) { return one.key == key; });
    interleaving.add(visit == visits.end() ? 0 : visit->batches);
  }
  return visits;
}

std::optional<bool> Neighbors::is_regular(const LoaderKey& key) const {
  const auto found = interleaved_.find(key);
  if (found == interleaved_.end() || found->second.steps() < kKnownSteps) return std::nullopt;
  return found->second.is_regular();
}

bool is_part(const Neighbors::Visit& visit, const Neighbors& of, const Neighbors& back,
             const LoaderKey& own) {
  const std::optional<bool> there = of.is_regular(visit.key), here = back.is_regular(own);
  if (there.value_or(false) || here.value_or(false)) return true;
  return (!there || !here) && visit.batches <= kFewAtFirst;
}

void add_part(WatchedLoader& loader, const Neighbors::Visit& visit) {
  auto part = std::find_if(loader.parts.begin(), loader.parts.end(), [&](const WatchedPart& one) {
    return is_one_loader(*one.loader, *visit.loader);
  });
  if (part == loader.parts.end()) part = loader.parts.insert(part, WatchedPart{});
  part->loader = visit.loader;
  part->loading += visit.loading;
}

}  // namespace feedrate
