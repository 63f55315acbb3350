// SPDX-License-Identifier: Apache-2.0
// Starts the ranks of this node itself: this program again, once a rank, without mpirun. One
// thread, which must live as long as the ranks are wanted: the kernel kills them (SIGKILL) when it
// ends, however it does, so that none outlives it.
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
  /// The program; this one where it is empty.
  std::filesystem::path program = {};
  std::vector<std::string> arguments = {};  ///< without the program's name
  /// Besides this process's own; of rank i also those that `of_rank` has at i.
  std::map<std::string, std::string> environment = {};
  std::vector<std::map<std::string, std::string>> of_rank = {};
  /// How long the others have, after a rank has ended badly, before they get SIGTERM; and how long
  /// after any SIGTERM they get SIGKILL.
  std::chrono::milliseconds grace{15'000};
};

struct RankExit {
  int rank = 0;
  int code = 0;                    ///< 128 + number of a signal that killed it, as of a shell
  std::optional<int> signal = {};  ///< which killed it
  int order = 0;                   ///< 0: was seen to end first
  bool was_ended_by_us = false;    ///< SIGKILL, at the end of the grace
};

/// Starts `count` ranks, each with a rank of its own and sockets to rank 0 in its environment, and
/// waits for them all.
/// When `stop` is requested they get SIGTERM. They are process
/// groups of their own, so that a terminal's Ctrl-C reaches them by this process only, once; they
/// begin with no signal blocked. Standard input is for none of them; output and errors are this
/// process's. Throws SystemError where one cannot be started, and none is left then.
[[nodiscard]] std::vector<RankExit> run_ranks(int count, const SpawnOptions& options,
                                              const std::stop_token& stop = {});

/// Which rank was killed, or ended badly, first and how, as "rank 2 was killed by SIGKILL"; empty
/// if all ended well.
[[nodiscard]] std::string describe_failure(const std::vector<RankExit>& exits);

}  // namespace feedrate
