// SPDX-License-Identifier: Apache-2.0
// Joins the ranks started by an MPI launcher, on one or several nodes, by MPI.
#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "bench/ranks/group.h"
#include "bench/ranks/launch.h"

namespace feedrate {

/// Blocks until all ranks have joined. Returns null and sets `why_not` in a program without MPI, or
/// if the launcher is not one of this MPI. Initializes MPI, once per process and before any fork;
/// the group's destructor finalizes it. One thread. REQUIRES: several ranks
[[nodiscard]] std::unique_ptr<RankGroup> join_mpi_group(const Launch& launch,
                                                        const std::stop_token& stop,
                                                        std::string& why_not);

}  // namespace feedrate
