// SPDX-License-Identifier: Apache-2.0
// The ranks of one node, connected by Unix sockets. Their sums go through shared memory.
//
// Ranks started by spawn.h inherit their sockets. Ranks started by a launcher meet at a socket file
// that rank 0 creates, and removes when all have joined. Its folder belongs to this user alone
// (mode 0700, owner checked), below $XDG_RUNTIME_DIR or /tmp; its name comes from Launch::job.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

struct LocalGroupOptions {
  std::filesystem::path folder = {};  ///< folder of the socket file, created if missing
  /// Timeout of joining: some ranks start late.
  std::chrono::seconds join_limit{120};
};

/// Blocks until all ranks have joined. Throws ConfigError, Error with the missing ranks, RankLost,
/// Cancelled, SystemError. REQUIRES: several ranks, all on this node
[[nodiscard]] std::unique_ptr<RankGroup> join_local_group(const Launch& launch,
                                                          const LocalGroupOptions& options,
                                                          const std::stop_token& stop);

}  // namespace feedrate
