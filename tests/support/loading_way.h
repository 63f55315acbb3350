// SPDX-License-Identifier: Apache-2.0
// Ways of loading, for tests of properties that hold for all.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "tests/support/transport_name.h"

namespace feedrate::testing {

struct LoadingWay {
  std::int64_t num_workers = 0;
  WorkerType worker_type = WorkerType::kProcess;
  Transport transport = Transport::kFresh;

  [[nodiscard]] std::string name() const {
    if (num_workers == 0) return "inline";
    if (worker_type == WorkerType::kThread) return "threads";
    return std::string("processes_") + transport_name(transport);
  }

  /// Options with persistent workers, since new workers reopen everything.
  [[nodiscard]] LoaderOptions options(std::int64_t batch_size) const {
    LoaderOptions options;
    options.batch_size = batch_size;
    options.num_workers = num_workers;
    options.persistent_workers = num_workers > 0;
    options.worker_type = worker_type;
    options.transport = transport;
    return options;
  }
};

inline void PrintTo(const LoadingWay& way, std::ostream* out) { *out << way.name(); }

inline constexpr std::array<LoadingWay, 5> kLoadingWays{
    {{0, WorkerType::kProcess, Transport::kFresh},
     {2, WorkerType::kThread, Transport::kFresh},
     {2, WorkerType::kProcess, Transport::kFresh},
     {2, WorkerType::kProcess, Transport::kFileSystem},
     {2, WorkerType::kProcess, Transport::kRing}}};

/// Loads all batches of epoch 0 and holds them until the last one.
inline std::vector<Batch> load_epoch(Loader& loader,
                                     std::optional<std::size_t> batches = std::nullopt) {
  std::vector<Batch> held;
  loader.start_epoch(0, batches);
  while (std::optional<Batch> batch = loader.next({})) held.push_back(*std::move(batch));
  return held;
}

}  // namespace feedrate::testing
