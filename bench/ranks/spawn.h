// SPDX-License-Identifier: Apache-2.0
// Starts the ranks of this node without mpirun: this program, once per rank. The calling thread
// must live as long as the ranks are wanted: the kernel kills them (SIGKILL) when it ends for any
// reason, so that no rank outlives it.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace feedrate {

struct SpawnOptions {
  /// The program; empty means this one.
  std::filesystem::path program = {};
  std::vector<std::string> arguments = {};  ///< without the program's name
  /// Variables added to this process's environment; rank i also gets `of_rank[i]`.
  std::map<std::string, std::string> environment = {};
  std::vector<std::map<std::string, std::string>> of_rank = {};
  /// The time from a rank's failure to SIGTERM for the others, and from any SIGTERM to SIGKILL.
  std::chrono::milliseconds grace{15'000};
};

struct RankExit {
  int rank = 0;
  int code = 0;  ///< exit code; 128 + number of the signal that killed it, as in a shell
  std::optional<int> signal = {};
  int order = 0;                 ///< 0: seen to end first
  bool was_ended_by_us = false;  ///< killed by SIGKILL at the end of the grace period
};

/// Starts `count` ranks, each with its rank and its sockets to rank 0 in its environment, and waits
/// for all. They get SIGTERM when `stop` is requested. Each is a process group of its own, so that
/// a terminal's Ctrl-C reaches it only once, by this process; each begins with no signal blocked.
/// Standard input is /dev/null; output and errors are this process's. Throws SystemError if one
/// cannot be started, after ending the others.
[[nodiscard]] std::vector<RankExit> run_ranks(int count, const SpawnOptions& options,
                                              const std::stop_token& stop = {});

/// Describes the first rank that was killed or failed, as "rank 2 was killed by SIGKILL"; empty if
/// none did.
[[nodiscard]] std::string describe_failure(const std::vector<RankExit>& exits);

}  // namespace feedrate
