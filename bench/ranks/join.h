// SPDX-License-Identifier: Apache-2.0
// The ranks that a launcher or spawn.h has started become a group: on one node over Unix sockets,
// where a launcher of MPI has started them by MPI, also on several nodes.
#pragma once
#include <memory>
#include <stop_token>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

/// Blocks until all ranks have come. Throws ConfigError where they have no way to talk, else as
/// join_local_group() does. A group of one rank is make_single_group().
[[nodiscard]] std::unique_ptr<RankGroup> join_group(const Launch& launch,
                                                    const std::stop_token& stop = {});

}  // namespace feedrate
