// What a user asks of a DataLoader, and the same with nothing left open. The knobs bear the names,
// defaults and rules of torch.utils.data.DataLoader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/units.h"
#include "device/buffer.h"
#include "loaders/costs.h"

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
  std::size_t prefetch_factor = 0;  ///< 0 only without workers
  bool persistent_workers = false;
  HostMemory memory = HostMemory::kPageable;
  bool shuffle = false;
  bool drop_last = false;
  bool in_order = true;
  std::uint64_t seed = 0;
  Nanos timeout{};  ///< 0: none
  std::string multiprocessing_context = "fork";
  WorkerType worker_type = WorkerType::kProcess;
  Transport transport = Transport::kFresh;
  LoaderCosts costs = {};  ///< of PyTorch, to be added

  /// The most batches that are ever made and not yet returned: prefetch_factor * num_workers.
  [[nodiscard]] std::size_t max_outstanding() const noexcept {
    return prefetch_factor * num_workers;
  }
};

/// Throws ConfigError where DataLoader's constructor raises ValueError.
[[nodiscard]] ResolvedLoaderOptions resolve(const LoaderOptions& options);

}  // namespace feedrate
