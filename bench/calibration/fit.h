// SPDX-License-Identifier: Apache-2.0
// From what both engines need at the same place to what DataLoader costs more there. Pure
// functions.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "loaders/costs.h"

namespace feedrate {

/// What the torch engine took longer than the native one, in seconds, with the same probe.
struct Excess {
  double step = 0.0;         ///< from step to step
  double wait = 0.0;         ///< in next()
  double first_batch = 0.0;  ///< from iter() to the first batch
  double epoch_end = 0.0;    ///< the last next() of an epoch
};

/// A probe at batches of two sizes.
using ExcessBySize = std::array<Excess, 2>;

struct ProbeResults {
  std::array<std::size_t, 2> batch_bytes{};  ///< the sizes, the smaller one first
  ExcessBySize inline_loader;                ///< no workers, no trainer: all is the consumer's
  ExcessBySize inline_pinned;                ///< the same with pin_memory
  ExcessBySize busy_worker;      ///< one worker that is always behind, no trainer: all is its
  ExcessBySize waiting_batches;  ///< one worker that is always ahead of the trainer
  Excess waiting_pinned;         ///< the same with pin_memory, at the smaller size
  Excess many_workers;           ///< `workers` of them, always ahead, at the smaller size
  Excess persistent;             ///< one persistent worker, always ahead, at the smaller size
  std::size_t workers = 4;
};

/// Each cost is the excess of the probe in which it stands alone, or what is left of an excess when
/// the costs that are known are taken away; by size the line through both sizes. None is below 0:
/// where PyTorch is faster nothing can be added. The costs of samples stay 0.
[[nodiscard]] LoaderCosts fit_costs(const ProbeResults& results);

/// A loader with one worker and with two, that start and end with each epoch.
struct WorkerExcess {
  Excess one;
  Excess two;
  std::size_t samples = 0;  ///< of a batch
  std::size_t batch_bytes = 0;
};

/// Sets what the start and the end of workers cost: by how much the second one prolongs them, that
/// of the consumer; what is left of the first one's when `costs` of its first batch are taken away,
/// its own. REQUIRES: two CPUs, or two workers wait for each other
void fit_workers(const WorkerExcess& workers, LoaderCosts& costs);

/// What cannot be a cost of PyTorch's but of a machine that did something else, a sentence each:
/// a sample or a batch that costs three times as much without workers as in one, or the other way
/// round; pinning below 0.1 GB/s. `batch_bytes`: of the largest batch that was measured.
[[nodiscard]] std::vector<std::string> implausible(const LoaderCosts& costs,
                                                   std::size_t batch_bytes);

/// The cost of a sample: what `batch` does not explain of a step in which loading is all.
[[nodiscard]] Nanos fit_sample(const LinearCost& batch, const Excess& loading, std::size_t samples,
                               std::size_t batch_bytes);

}  // namespace feedrate
