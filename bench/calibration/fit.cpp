// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/fit.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {
namespace {

using Sizes = std::array<std::size_t, 2>;
using Pair = std::array<double, 2>;

Nanos non_negative(double seconds) { return from_seconds(std::max(0.0, seconds)); }

// A negative slope is noise, so the mean is used for both sizes.
LinearCost line(const Sizes& bytes, const Pair& seconds) {
  const double slope = (seconds[1] - seconds[0]) / static_cast<double>(bytes[1] - bytes[0]);
  if (slope <= 0.0) return {non_negative((seconds[0] + seconds[1]) / 2.0), 0.0};
  const double fixed = seconds[0] - slope * static_cast<double>(bytes[0]);
  if (fixed >= 0.0) return {from_seconds(fixed), slope * 1e9};
  // The line through the origin and the larger size, where bytes matter more.
  return {Nanos(0), std::max(0.0, seconds[1]) * 1e9 / static_cast<double>(bytes[1])};
}

template <typename Get>
Pair pair_of(const ExcessBySize& excess, Get get) {
  return {get(excess[0]), get(excess[1])};
}

double step_of(const Excess& excess) { return excess.step; }
double wait_of(const Excess& excess) { return excess.wait; }

}  // namespace

LoaderCosts fit_costs(const ProbeResults& results) {
  const Sizes& bytes = results.batch_bytes;
  LoaderCosts costs;
  const Pair inline_step = pair_of(results.inline_loader, step_of);
  const Pair pinned_step = pair_of(results.inline_pinned, step_of);
  costs.inline_batch = line(bytes, inline_step);
  costs.pin = line(bytes, {pinned_step[0] - inline_step[0], pinned_step[1] - inline_step[1]});
  costs.worker_batch = line(bytes, pair_of(results.busy_worker, step_of));

  // If a pin thread receives the batches, next() costs only the dispatch.
  costs.dispatch = non_negative(results.waiting_pinned.wait);
  const double dispatch = to_seconds(costs.dispatch);
  const Pair wait = pair_of(results.waiting_batches, wait_of);
  costs.receive = line(bytes, {wait[0] - dispatch, wait[1] - dispatch});

  const Excess& one = results.waiting_batches[0];
  const auto more = static_cast<double>(results.workers - 1);
  costs.worker_start = non_negative((results.many_workers.first_batch - one.first_batch) / more);
  costs.worker_stop = non_negative((results.many_workers.epoch_end - one.epoch_end) / more);
  costs.worker_exit = non_negative(one.epoch_end - to_seconds(costs.worker_stop));
  const double first_batch =
      to_seconds(costs.worker_batch.of(bytes[0]) + costs.receive.of(bytes[0]) + costs.dispatch);
  costs.first_task = non_negative(one.first_batch - to_seconds(costs.worker_start) - first_batch);
  costs.resume = non_negative(results.persistent.first_batch - first_batch);
  return costs;
}

void fit_workers(const WorkerExcess& workers, LoaderCosts& costs) {
  const auto& [one, two, samples, bytes] = workers;
  const Nanos first_batch = costs.worker_sample * static_cast<Nanos::rep>(samples) +
                            costs.worker_batch.of(bytes) + costs.receive.of(bytes) + costs.dispatch;
  costs.worker_start = non_negative(two.first_batch - one.first_batch);
  costs.first_task = non_negative(one.first_batch - to_seconds(costs.worker_start + first_batch));
  costs.worker_stop = non_negative(two.epoch_end - one.epoch_end);
  costs.worker_exit = non_negative(one.epoch_end - to_seconds(costs.worker_stop));
}

std::vector<std::string> implausible(const LoaderCosts& costs, std::size_t batch_bytes) {
  constexpr double kMostTimes = 3.0;
  std::vector<std::string> problems;
  const auto compare = [&](const char* what, Nanos alone, Nanos in_worker, double small) {
    const double a = to_seconds(alone), b = to_seconds(in_worker);
    if (std::max(a, b) <= kMostTimes * std::min(a, b) + small) return;
    problems.push_back(fmt::format(
        "a {} costs {} without workers and {} in a worker; the two should be about equal", what,
        format_value(a, Unit::kSeconds), format_value(b, Unit::kSeconds)));
  };
  compare("sample", costs.inline_sample, costs.worker_sample, 200e-6);
  compare("batch", costs.inline_batch.of(batch_bytes), costs.worker_batch.of(batch_bytes), 3e-3);
  constexpr double kSlowestPinning = 1e8;
  constexpr double kCall = 5e-3;
  const double pin = to_seconds(costs.pin.of(batch_bytes));
  if (pin > kCall + static_cast<double>(batch_bytes) / kSlowestPinning) {
    problems.push_back(fmt::format("pinning {} costs {}, less than 0.1 GB/s",
                                   format_value(static_cast<double>(batch_bytes), Unit::kBytes),
                                   format_value(pin, Unit::kSeconds)));
  }
  return problems;
}

Nanos fit_sample(const LinearCost& batch, const Excess& loading, std::size_t samples,
                 std::size_t batch_bytes) {
  const double known = to_seconds(batch.of(batch_bytes));
  return non_negative((loading.step - known) / static_cast<double>(samples));
}

}  // namespace feedrate
