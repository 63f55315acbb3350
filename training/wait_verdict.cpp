// SPDX-License-Identifier: Apache-2.0
#include "training/wait_verdict.h"

#include <algorithm>
#include <vector>

namespace feedrate {
namespace {

// Share of a loader's time: a thread that trains does more between two batches.
constexpr double kTrainsNothing = 0.05;

// The loading of other loaders of the step was measured as a part of the training.
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

// Whether they take notably longer than the other steps.
bool has_first_batches(const WatchedLoader& watched, const StepTimes& batch) {
  const StepSums& sums = watched.sums;
  if (sums.epochs == sums.steps) return sums.epochs > 0;
  const double others =
      (sums.loading - sums.first_batches) / static_cast<double>(sums.steps - sums.epochs);
  const double longer = sums.first_batches - static_cast<double>(sums.epochs) * others;
  return longer > kNothingToWin * batch.step() * static_cast<double>(sums.steps);
}

}  // namespace

std::optional<WaitVerdict> judge(const WatchedLoader& watched) {
  const std::optional<StepTimes> batch = step_times(watched);
  if (!batch) return std::nullopt;
  WaitVerdict verdict;
  verdict.batches_per_step = watched.batches_per_step;
  verdict.times = times_of_step(watched, *batch, verdict.parts);
  verdict.has_first_batches = has_first_batches(watched, *batch);
  verdict.paused = watched.paused;
  verdict.is_taken_by_a_thread =
      watched.thread != 0 && batch->training < kTrainsNothing * batch->step();
  if (verdict.is_taken_by_a_thread) return verdict;
  verdict.has_gpu = watched.gpu_busy > 0.0;
  if (verdict.has_gpu) {
    verdict.gpu_idle = watched.gpu_idle / (watched.gpu_idle + watched.gpu_busy);
  } else if (!verdict.parts.empty() && verdict.times.step() > 0.0) {
    verdict.slowest_part = std::min(verdict.parts.front().loading / verdict.times.step(), 1.0);
  }
  verdict.stall = verdict.gpu_idle.value_or(verdict.times.loading_share());
  return verdict;
}

}  // namespace feedrate
