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

namespace feedrate::testing {

struct LoadingWay {
  std::int64_t num_workers = 0;
  Transport transport = Transport::kFresh;

  [[nodiscard]] std::string name() const {
    if (num_workers == 0) return "inline";
    return transport == Transport::kFresh ? "processes_fresh" : "processes_file_system";
  }

  /// Options with persistent workers, since new workers reopen everything.
  [[nodiscard]] LoaderOptions options(std::int64_t batch_size) const {
    LoaderOptions options;
    options.batch_size = batch_size;
    options.num_workers = num_workers;
    options.persistent_workers = num_workers > 0;
    options.transport = transport;
    return options;
  }
};

inline void PrintTo(const LoadingWay& way, std::ostream* out) { *out << way.name(); }

inline constexpr std::array<LoadingWay, 3> kLoadingWays{
    {{0, Transport::kFresh}, {2, Transport::kFresh}, {2, Transport::kFileSystem}}};

/// Loads all batches of epoch 0 and holds them until the last one.
inline std::vector<Batch> load_epoch(Loader& loader,
                                     std::optional<std::size_t> batches = std::nullopt) {
  std::vector<Batch> held;
  loader.start_epoch(0, batches);
  while (std::optional<Batch> batch = loader.next({})) held.push_back(*std::move(batch));
  return held;
}

}  // namespace feedrate::testing
