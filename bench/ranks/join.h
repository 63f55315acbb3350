// SPDX-License-Identifier: Apache-2.0
// Joins the ranks started by a launcher or by spawn.h to a group: by MPI, on one or several nodes,
// if an MPI launcher started them; otherwise by Unix sockets on one node, and their sums go through
// shared memory.
//
// Ranks started by spawn.h inherit their sockets. Ranks started by a launcher meet at a socket file
// that rank 0 creates, and removes when all have joined. Its folder belongs to this user alone
// (mode 0700, owner checked), below $XDG_RUNTIME_DIR or /tmp; its name comes from Launch::job.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

/// Blocks until all ranks have joined. Throws ConfigError if they have no way to communicate,
/// otherwise as join_local_group() does. One rank gets make_single_group().
[[nodiscard]] std::unique_ptr<RankGroup> join_group(const Launch& launch,
                                                    const std::stop_token& stop = {});

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

/// Joins the ranks started by an MPI launcher, on one or several nodes. Blocks until all ranks have
/// joined. Returns null and sets `why_not` in a program without MPI, or if the launcher is not one
/// of this MPI. Initializes MPI, once per process and before any fork; the group's destructor
/// finalizes it. One thread. REQUIRES: several ranks
[[nodiscard]] std::unique_ptr<RankGroup> join_mpi_group(const Launch& launch,
                                                        const std::stop_token& stop,
                                                        std::string& why_not);

}  // namespace feedrate
