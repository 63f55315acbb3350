// SPDX-License-Identifier: Apache-2.0
// Joins the ranks started by a launcher or by spawn.h to a group: by MPI, on one or several nodes,
// if an MPI launcher started them; otherwise by Unix sockets on one node.
#pragma once
#include <memory>
#include <stop_token>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

/// Blocks until all ranks have joined. Throws ConfigError if they have no way to communicate,
/// otherwise as join_local_group() does. One rank gets make_single_group().
[[nodiscard]] std::unique_ptr<RankGroup> join_group(const Launch& launch,
                                                    const std::stop_token& stop = {});

}  // namespace feedrate
