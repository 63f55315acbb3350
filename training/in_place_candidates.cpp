// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "training/in_place_tuner.h"
namespace feedrate {
namespace {

// More workers keep no more CPUs busy; workers that only wait are limited to four per CPU.
std::size_t most_workers(const WatchedLoader& watched) {
  constexpr double kLeastShare = 0.25;
  const double share = watched.fetch_wall > 0.0 ? watched.fetch_cpu / watched.fetch_wall : 1.0;
  const auto cpus = static_cast<double>(watched.process.cpus);
  return static_cast<std::size_t>(std::lround(cpus / std::clamp(share, kLeastShare, 1.0)));
}

std::vector<std::size_t> worker_counts(std::size_t present, std::size_t most) {
  std::set<std::size_t> counts{1, 2, 3, present};
  for (std::size_t count = 4; count <= most; count += std::max<std::size_t>(2, count / 4)) {
    counts.insert(count);
  }
  counts.insert(most);
  std::erase_if(counts, [&](std::size_t count) { return count > std::max(most, present); });
  return {counts.begin(), counts.end()};
}

}  // namespace

std::vector<ScriptLoader> in_place_candidates(const WatchedLoader& present, std::size_t most) {
  const ScriptLoader& own = present.loader;
  std::vector<ScriptLoader> all{own};
  const bool has_gpu = present.gpu_steps > 0;
  for (const std::size_t workers : worker_counts(own.num_workers, most_workers(present))) {
    for (const std::size_t prefetch : {std::size_t{2}, std::size_t{4}}) {
      for (const bool pin : {own.pin_memory, true}) {
        ScriptLoader other = own;
        other.num_workers = workers;
        other.prefetch_factor = workers > 0 ? std::optional(prefetch) : std::nullopt;
        other.persistent_workers = workers > 0 && own.persistent_workers;
        other.pin_memory = pin && (has_gpu || own.pin_memory);
        const bool is_known = std::any_of(all.begin(), all.end(), [&](const ScriptLoader& known) {
          const bool has_prefetch = known.prefetch_factor.value_or(2) == prefetch || workers == 0;
          return known.num_workers == workers && known.pin_memory == other.pin_memory &&
                 has_prefetch;
        });
        if (!is_known && most_outstanding(other) <= most) all.push_back(other);
      }
    }
  }
  return all;
}

}  // namespace feedrate
