// SPDX-License-Identifier: Apache-2.0
// DataLoader options as a user writes them, and the same options with defaults filled in. Names,
// defaults and rules are those of torch.utils.data.DataLoader.
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

/// How a worker sends a batch: PyTorch's sharing strategy.
enum class Transport {
  kFresh,       ///< "file_descriptor": a new unlinked segment per tensor
  kFileSystem,  ///< "file_system": a new named segment per tensor
};

/// Options as written. An empty optional means PyTorch's default.
struct LoaderOptions {
  std::int64_t batch_size = 1;
  std::int64_t num_workers = 0;
  std::optional<std::int64_t> prefetch_factor = std::nullopt;  ///< batches in flight per worker
  bool persistent_workers = false;
  bool pin_memory = false;
  bool shuffle = false;
  std::int64_t shuffle_window = 0;  ///< 0: all records; see windowed_order in loaders/sampler.h
  bool group_by_length = false;     ///< as Hugging Face's LengthGroupedSampler; needs lengths
  bool drop_last = false;
  bool in_order = true;
  std::uint64_t seed = 0;
  double timeout = 0.0;  ///< seconds; 0: none
  std::optional<std::string> multiprocessing_context = std::nullopt;
  Transport transport = Transport::kFresh;
};

/// Options with defaults filled in; loaders and reports take only these.
struct ResolvedLoaderOptions {
  std::size_t batch_size = 1;
  std::size_t num_workers = 0;
  std::size_t prefetch_factor = 0;  ///< 0 without workers; see check_iterable
  bool persistent_workers = false;
  HostMemory memory = HostMemory::kPageable;
  bool shuffle = false;
  std::uint64_t shuffle_window = 0;
  bool group_by_length = false;
  bool drop_last = false;
  bool in_order = true;
  std::uint64_t seed = 0;
  Nanos timeout{};                           ///< 0: none
  std::string multiprocessing_context = {};  ///< empty: Python's default; native workers fork
  Transport transport = Transport::kFresh;
  Shard shard = {};        ///< the share of the dataset that this process loads
  LoaderCosts costs = {};  ///< emulated costs of PyTorch

  /// The limit of batches made and not yet returned.
  [[nodiscard]] std::size_t max_outstanding() const noexcept {
    return prefetch_factor * num_workers;
  }
};

/// Fills in `resolved`, whose members that LoaderOptions lacks stay. Throws ConfigError where
/// DataLoader's constructor raises ValueError, in the constructor's order.
[[nodiscard]] ResolvedLoaderOptions resolve(const LoaderOptions& options,
                                            ResolvedLoaderOptions resolved = {});

/// Throws ConfigError where PyTorch's constructor accepts the options and iter(loader) fails an
/// assertion: prefetch_factor=0 with workers, or a timeout without workers. Every loader calls it
/// at the start of an epoch.
void check_iterable(const ResolvedLoaderOptions& options);

/// The limits on CPUs for the workers of one training process, as far as this machine reports them.
struct CpuBudget {
  int online = 1;    ///< logical CPUs of the machine
  int affinity = 1;  ///< CPUs that this process may run on; PyTorch considers only these
  std::optional<double> quota =
      std::nullopt;                   ///< CPUs that the control group grants; PyTorch ignores it
  int ranks = 1;                      ///< training processes on this node; PyTorch ignores them
  bool ranks_share_affinity = false;  ///< false: each rank may have its own CPUs
};

/// The number of CPUs that the workers can use: the minimum of the affinity, an equal share of the
/// affinity (of all online CPUs if the ranks do not share the affinity), and an equal share of the
/// quota; rounded up, at least 1.
[[nodiscard]] int cpus_for_workers(const CpuBudget& budget);

/// One sentence if there are more workers than usable CPUs, by PyTorch's rule or by the limits that
/// PyTorch ignores.
[[nodiscard]] std::vector<std::string> warnings(const ResolvedLoaderOptions& options,
                                                const CpuBudget& budget);

}  // namespace feedrate
