// SPDX-License-Identifier: Apache-2.0
#include "training/verdict.h"

#include <numeric>
#include <vector>

namespace feedrate {
namespace {

// Of what a batch takes in its worker; below, it waits.
constexpr double kMostlyCpu = 0.7;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool is_cpu_work(const WatchedLoader& watched) {
  return watched.fetch_wall <= 0.0 || watched.fetch_cpu >= kMostlyCpu * watched.fetch_wall;
}

Bottleneck bottleneck_of(const WatchedLoader& watched, double stall) {
  if (stall <= kNothingToWin) return Bottleneck::kGpu;
  if (stall <= kBalance) return Bottleneck::kBalanced;
  return is_cpu_work(watched) ? Bottleneck::kDecode : Bottleneck::kStorage;
}

}  // namespace

std::optional<LoaderVerdict> judge(const WatchedLoader& watched) {
  const std::optional<StepTimes> times = step_times(watched);
  if (!times) return std::nullopt;
  LoaderVerdict verdict;
  verdict.times = *times;
  const double busy = sum(watched.gpu_busy);
  if (busy > 0.0) verdict.gpu_idle = sum(watched.gpu_idle) / (sum(watched.gpu_idle) + busy);
  verdict.stall = verdict.gpu_idle.value_or(times->loading_share());
  verdict.bottleneck = bottleneck_of(watched, verdict.stall);
  return verdict;
}

}  // namespace feedrate
