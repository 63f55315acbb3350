// SPDX-License-Identifier: Apache-2.0
// Starts the ranks of this node without mpirun: one program, once per rank.
#pragma once
#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace feedrate {

/// Starts `count` ranks, each with its rank and its sockets to rank 0 in its environment, and waits
/// for all. They get SIGTERM when `stop` is requested, and `grace` after one has failed; SIGKILL
/// follows `grace` later. Each is a process group of its own, so that a terminal's Ctrl-C reaches
/// it only once, by this process. Standard input is /dev/null; output and errors are this
/// process's. The calling thread must live as long as the ranks, see ChildProcess.
///
/// Returns how the first rank that was killed or failed has ended, as "rank 2 was killed by
/// SIGSEGV"; empty if none did. Throws as ChildProcess does if a rank cannot be started, after
/// ending the others.
[[nodiscard]] std::string run_ranks(int count, const std::vector<std::string>& command,
                                    std::chrono::milliseconds grace,
                                    const std::stop_token& stop = {});

}  // namespace feedrate
