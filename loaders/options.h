// SPDX-License-Identifier: Apache-2.0
// What a user asks of a DataLoader, and the same with nothing left open. The knobs bear the names,
// defaults and rules of torch.utils.data.DataLoader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "device/buffer.h"
#include "loaders/costs.h"
#include "loaders/shard.h"

namespace feedrate {

/// What a worker is. PyTorch's are processes.
enum class WorkerType { kProcess, kThread };

/// How a batch comes from a worker process.
enum class Transport {
  kFresh,  ///< a new unlinked segment a tensor, its descriptor sent: "file_descriptor" in PyTorch
  kFileSystem,  ///< a new named segment a tensor: "file_system" in PyTorch
  kRing,        ///< segments used again: what PyTorch could do
};

/// As written. An empty optional means "PyTorch's default".
struct LoaderOptions {
  std::int64_t batch_size = 1;
  std::int64_t num_workers = 0;
  std::optional<std::int64_t> prefetch_factor = std::nullopt;  ///< batches in flight per worker
  bool persistent_workers = false;
  bool pin_memory = false;
  bool shuffle = false;
  std::int64_t shuffle_window = 0;  ///< loaders/sampler.h, windowed_order; 0: over all records
  bool group_by_length = false;     ///< as Hugging Face's LengthGroupedSampler; needs lengths
  bool drop_last = false;
  bool in_order = true;
  std::uint64_t seed = 0;
  double timeout = 0.0;  ///< seconds; 0: none
  std::optional<std::string> multiprocessing_context = std::nullopt;
  WorkerType worker_type = WorkerType::kProcess;
  Transport transport = Transport::kFresh;
};

/// Loaders take only this; reports print only this.
struct ResolvedLoaderOptions {
  std::size_t batch_size = 1;
  std::size_t num_workers = 0;
  std::size_t prefetch_factor = 0;  ///< 0 without workers; with workers see check_iterable
  bool persistent_workers = false;
  HostMemory memory = HostMemory::kPageable;
  bool shuffle = false;
  std::uint64_t shuffle_window = 0;
  bool group_by_length = false;
  bool drop_last = false;
  bool in_order = true;
  std::uint64_t seed = 0;
  Nanos timeout{};                           ///< 0: none
  std::string multiprocessing_context = {};  ///< empty: Python's default; our own fork
  WorkerType worker_type = WorkerType::kProcess;
  Transport transport = Transport::kFresh;
  Shard shard = {};        ///< what this process loads of the dataset
  LoaderCosts costs = {};  ///< of PyTorch, to be added

  /// The most batches that are ever made and not yet returned: prefetch_factor * num_workers.
  [[nodiscard]] std::size_t max_outstanding() const noexcept {
    return prefetch_factor * num_workers;
  }
};

/// Throws ConfigError where DataLoader's constructor raises ValueError, in the constructor's order.
/// The start method is looked at for worker processes only.
[[nodiscard]] ResolvedLoaderOptions resolve(const LoaderOptions& options);

/// Throws ConfigError where PyTorch's constructor is content and iter(loader) fails an assertion:
/// prefetch_factor=0 with workers, a timeout without. Every loader asks at the start of an epoch.
void check_iterable(const ResolvedLoaderOptions& options);

/// The CPUs that the workers of one training process may use, as far as this machine tells.
struct CpuBudget {
  int online = 1;    ///< logical CPUs of the machine
  int affinity = 1;  ///< those that this process may run on: what PyTorch goes by
  std::optional<double> quota =
      std::nullopt;  ///< of the control group, in CPUs; PyTorch does not see it
  int ranks = 1;     ///< training processes on this node; PyTorch does not count them
  bool ranks_share_affinity = false;  ///< otherwise each rank may have CPUs of its own
};

/// The smallest of: the affinity, an equal share of it where the ranks share it, otherwise of all
/// CPUs that are online; an equal share of the quota. A part of a CPU counts as one. At least 1.
[[nodiscard]] int cpus_for_workers(const CpuBudget& budget);

/// What PyTorch would warn of, and what it does not see: more workers than usable CPUs. A sentence
/// each.
[[nodiscard]] std::vector<std::string> warnings(const ResolvedLoaderOptions& options,
                                                const CpuBudget& budget);

}  // namespace feedrate
