// SPDX-License-Identifier: Apache-2.0
// How the ranks of one node come by the sockets between them: see local_group.h. One thread.
#pragma once
#include <filesystem>
#include <stop_token>
#include <vector>

#include "bench/ranks/launch.h"
#include "bench/ranks/local_group.h"
#include "core/unique_fd.h"

namespace feedrate {

/// Those that spawn.h has made: of rank 0 to rank 1, 2, …, of each other rank to rank 0. Throws
/// ConfigError.
[[nodiscard]] std::vector<UniqueFd> inherited_sockets(const Launch& launch);

/// The same, of ranks that a launcher has started. Blocks until all have come.
[[nodiscard]] std::vector<UniqueFd> meet_on_node(const Launch& launch,
                                                 const LocalGroupOptions& options,
                                                 const std::stop_token& stop);

/// The folder where this user's ranks meet on this node.
[[nodiscard]] std::filesystem::path meeting_folder(
    const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
