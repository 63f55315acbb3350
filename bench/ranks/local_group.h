// SPDX-License-Identifier: Apache-2.0
// The ranks of one node, connected by Unix sockets. Their sums go through shared memory.
//
// Ranks that spawn.h has started inherit their sockets. Those of a launcher meet at a socket file
// that rank 0 makes and removes when all have come. It lies in a folder of this user alone (mode
// 0700, owner checked), below $XDG_RUNTIME_DIR or /tmp, and its name comes from Launch::job.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

struct LocalGroupOptions {
  std::filesystem::path folder = {};  ///< of the socket file, made where it is missing
  /// How long ranks wait for each other at the start: some start late.
  std::chrono::seconds join_limit{120};
};

/// Blocks until all ranks have come. Throws ConfigError, Error naming the ranks that did not come,
/// RankLost, Cancelled, SystemError. REQUIRES: several ranks, all on this node
[[nodiscard]] std::unique_ptr<RankGroup> join_local_group(const Launch& launch,
                                                          const LocalGroupOptions& options,
                                                          const std::stop_token& stop);

}  // namespace feedrate
