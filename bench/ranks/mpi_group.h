// SPDX-License-Identifier: Apache-2.0
// The ranks that a launcher of MPI has started, on one node or several, connected by MPI.
#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

/// Blocks until all ranks have come. Null, and in `why_not` why, in a program without MPI, or where
/// the launcher is not one of this MPI. MPI begins here, once a process and before anything forks;
/// it ends with the group. One thread. REQUIRES: several ranks
[[nodiscard]] std::unique_ptr<RankGroup> join_mpi_group(const Launch& launch,
                                                        const std::stop_token& stop,
                                                        std::string& why_not);

}  // namespace feedrate
