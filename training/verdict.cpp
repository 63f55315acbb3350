// SPDX-License-Identifier: Apache-2.0
#include "training/verdict.h"

#include <algorithm>
#include <vector>

namespace feedrate {
namespace {

// Of what a batch takes in its worker; below, it waits.
constexpr double kMostlyCpu = 0.7;

// Of a loader's time: a thread that trains does more between two batches.
constexpr double kTrainsNothing = 0.05;

bool is_cpu_work(const WatchedLoader& watched) {
  return watched.fetch_wall <= 0.0 || watched.fetch_cpu >= kMostlyCpu * watched.fetch_wall;
}

Bottleneck bottleneck_of(const WatchedLoader& watched, double stall) {
  if (stall <= kNothingToWin) return Bottleneck::kGpu;
  if (stall <= kBalance) return Bottleneck::kBalanced;
  return is_cpu_work(watched) ? Bottleneck::kDecode : Bottleneck::kStorage;
}

// What other loaders give to a step is loading, too: it was seen as a part of the training.
StepTimes times_of_step(const WatchedLoader& watched, const StepTimes& batch,
                        std::vector<StepPart>& parts) {
  const auto batches = static_cast<double>(watched.batches_per_step);
  StepTimes times{batches * batch.loading, batches * batch.training};
  for (const WatchedPart& part : watched.parts) {
    const double loading = batches * part.loading / static_cast<double>(part.steps);
    parts.push_back({part.loader, std::min(loading, times.training)});
    times.training -= parts.back().loading;
  }
  if (parts.empty()) return times;
  parts.push_back({&watched, times.loading});
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) times.loading += parts[i].loading;
  std::sort(parts.begin(), parts.end(),
            [](const StepPart& a, const StepPart& b) { return a.loading > b.loading; });
  return times;
}

// Whether these take a share of the time that the other steps do not tell of.
bool has_first_batches(const WatchedLoader& watched, const StepTimes& batch) {
  const StepSums& sums = watched.sums;
  if (sums.epochs == sums.steps) return sums.epochs > 0;
  const double others =
      (sums.loading - sums.first_batches) / static_cast<double>(sums.steps - sums.epochs);
  const double longer = sums.first_batches - static_cast<double>(sums.epochs) * others;
  return longer > kNothingToWin * batch.step() * static_cast<double>(sums.steps);
}

}  // namespace

std::optional<LoaderVerdict> judge(const WatchedLoader& watched) {
  const std::optional<StepTimes> batch = step_times(watched);
  if (!batch) return std::nullopt;
  LoaderVerdict verdict;
  verdict.batches_per_step = watched.batches_per_step;
  verdict.times = times_of_step(watched, *batch, verdict.parts);
  verdict.has_first_batches = has_first_batches(watched, *batch);
  verdict.paused = watched.paused;
  verdict.is_taken_by_a_thread =
      watched.thread != 0 && batch->training < kTrainsNothing * batch->step();
  if (verdict.is_taken_by_a_thread) return verdict;
  if (watched.gpu_busy > 0.0) {
    verdict.gpu_idle = watched.gpu_idle / (watched.gpu_idle + watched.gpu_busy);
  }
  verdict.stall = verdict.gpu_idle.value_or(verdict.times.loading_share());
  verdict.bottleneck = bottleneck_of(watched, verdict.stall);
  return verdict;
}

}  // namespace feedrate
