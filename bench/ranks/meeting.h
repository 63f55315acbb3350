// SPDX-License-Identifier: Apache-2.0
// Connects the ranks of one node by sockets: see join.h. One thread.
#pragma once
#include <filesystem>
#include <stop_token>
#include <vector>

#include "bench/ranks/join.h"
#include "bench/ranks/launch.h"
#include "core/unique_fd.h"

namespace feedrate {

/// The sockets made by spawn.h: on rank 0 those to rank 1, 2, …, on any other rank the one to rank
/// 0. Throws ConfigError.
[[nodiscard]] std::vector<UniqueFd> inherited_sockets(const Launch& launch);

/// The same sockets for ranks started by a launcher. Blocks until all ranks have joined.
[[nodiscard]] std::vector<UniqueFd> meet_on_node(const Launch& launch,
                                                 const LocalGroupOptions& options,
                                                 const std::stop_token& stop);

/// The folder where this user's ranks meet on this node.
[[nodiscard]] std::filesystem::path meeting_folder(
    const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
