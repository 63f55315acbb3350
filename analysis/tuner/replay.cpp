// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/replay.h"

#include <algorithm>
#include <numeric>

#include "analysis/tuner/replayed_loop.h"

namespace feedrate {

ReplayedEpoch replay(const BatchCosts& costs, const Cores& cores, const LoopSettings& settings,
                     const EpochPlan& plan, std::uint64_t seed) {
  ReplayedLoop loop(costs, cores, settings, plan, seed);
  loop.start();
  while (!loop.is_over()) loop.advance();
  return loop.finish();
}

EpochPlan steady_epoch(const LoopSettings& settings, std::size_t steps) {
  const std::size_t workers = settings.num_workers;
  const std::size_t round =
      std::lcm(std::max<std::size_t>(workers, 1), std::max<std::size_t>(settings.sync_every, 1));
  const std::size_t outstanding = workers * settings.prefetch_factor;
  const std::size_t discarded = 1 + std::max({2 * workers, outstanding, kReplayRunAhead + 1});
  const std::size_t kept = (std::max(steps, 2 * outstanding) + round - 1) / round * round;
  return {.batches = discarded + kept, .extra = outstanding, .discarded = discarded};
}

}  // namespace feedrate
