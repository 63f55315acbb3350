// SPDX-License-Identifier: Apache-2.0
// Computes PyTorch's extra costs from probes of both engines. Pure functions.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "loaders/costs.h"

namespace feedrate {

/// Seconds that the torch engine took longer than the native one in the same probe.
struct Excess {
  double step = 0.0;         ///< time from step to step
  double wait = 0.0;         ///< time in next()
  double first_batch = 0.0;  ///< from iter() to the first batch
  double epoch_end = 0.0;    ///< the last next() of an epoch
};

using ExcessBySize = std::array<Excess, 2>;

struct ProbeResults {
  std::array<std::size_t, 2> batch_bytes{};  ///< the sizes, the smaller one first
  ExcessBySize inline_loader;                ///< no workers, no trainer: only the consumer works
  ExcessBySize inline_pinned;                ///< the same with pin_memory
  ExcessBySize busy_worker;      ///< one worker, always behind, no trainer: only the worker counts
  ExcessBySize waiting_batches;  ///< one worker, always ahead of the trainer
  Excess waiting_pinned;         ///< the same with pin_memory, at the smaller size
  Excess many_workers;           ///< `workers` workers, always ahead, at the smaller size
  Excess persistent;             ///< one persistent worker, always ahead, at the smaller size
  std::size_t workers = 4;
};

/// Computes each cost from the probe in which it is the whole excess, or from an excess minus the
/// known costs; costs by size are the line through both sizes. No cost is below 0, since a cost
/// profile cannot make a loader faster. The costs of samples stay 0.
[[nodiscard]] LoaderCosts fit_costs(const ProbeResults& results);

/// The excess of loaders with one and with two workers that start and end with each epoch.
struct WorkerExcess {
  Excess one;
  Excess two;
  std::size_t samples = 0;
  std::size_t batch_bytes = 0;
};

/// Sets the costs of starting and ending workers. The second worker's extra time is the consumer's
/// cost per worker; the rest of the first worker's time, minus the `costs` of its first batch, is
/// the worker's own. REQUIRES: two CPUs, or two workers wait for each other
void fit_workers(const WorkerExcess& workers, LoaderCosts& costs);

/// Describes costs that are not PyTorch's but of a disturbed machine, one sentence each: a sample
/// or batch whose costs without workers and in one differ by more than a factor of three; pinning
/// below 0.1 GB/s. `batch_bytes` is the size of the largest measured batch.
[[nodiscard]] std::vector<std::string> implausible(const LoaderCosts& costs,
                                                   std::size_t batch_bytes);

/// The cost of a sample: the part of a step that `batch` does not explain, divided by its samples,
/// if only loading takes time.
[[nodiscard]] Nanos fit_sample(const LinearCost& batch, const Excess& loading, std::size_t samples,
                               std::size_t batch_bytes);

}  // namespace feedrate
