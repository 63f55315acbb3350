// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/spawn.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/process.h"
#include "core/host/sockets.h"

namespace feedrate {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds kPollInterval{20};

struct SpawnedRank {
  ChildProcess process;
  int order = -1;                ///< 0: seen to end first
  bool was_ended_by_us = false;  ///< killed at the end of the grace period
};

// `sockets`: this rank's ends of its sockets to rank 0, or rank 0's to all others.
Program program_of(const std::vector<std::string>& command, int rank, int count,
                   const std::vector<int>& sockets) {
  Program program{
      .words = command,
      .environment = {{"FEEDRATE_RANK", std::to_string(rank)},
                      {"FEEDRATE_LOCAL_RANK", std::to_string(rank)},
                      {"FEEDRATE_RANKS", std::to_string(count)},
                      {"FEEDRATE_LOCAL_RANKS", std::to_string(count)},
                      {"FEEDRATE_RANK_SOCKETS", fmt::format("{}", fmt::join(sockets, " "))}},
      .descriptors = {{kNull, STDIN_FILENO}},
      .has_own_group = true};
  for (const int socket : sockets) program.descriptors.emplace_back(socket, socket);
  return program;
}

class SpawnedRanks {
 public:
  // Closes this process's copies of the sockets at its end, so that a rank notices the end of
  // another one.
  SpawnedRanks(int count, const std::vector<std::string>& command) {
    std::vector<SocketPair> pairs;
    std::vector<int> of_root;
    for (int rank = 1; rank < count; ++rank)
      of_root.push_back(pairs.emplace_back(make_sockets("sockets between ranks")).parent.get());
    for (int rank = 0; rank < count; ++rank) {
      const auto own = rank == 0 ? of_root : std::vector<int>{pairs[rank - 1].worker.get()};
      ranks_.push_back({ChildProcess(program_of(command, rank, count, own))});
    }
  }

  void send(int signal) {
    for (SpawnedRank& rank : ranks_) {
      if (signal == SIGKILL && !rank.process.has_ended()) rank.was_ended_by_us = true;
      rank.process.send_signal(signal);
    }
  }

  /// Notes which ranks have ended. Returns false when all have.
  bool is_any_left() {
    for (SpawnedRank& rank : ranks_)
      if (rank.order < 0 && rank.process.has_ended()) rank.order = ended_++;
    return ended_ < static_cast<int>(ranks_.size());
  }

  [[nodiscard]] bool has_failed() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const SpawnedRank& rank) {
      return rank.process.status().value_or(0) != 0;
    });
  }

  // Killed ranks come before those that ended because of them: they may end in any order.
  [[nodiscard]] std::string describe_failure() const {
    const SpawnedRank* first = nullptr;
    const auto key = [](const SpawnedRank& rank) {
      const bool was_killed = WIFSIGNALED(*rank.process.status());
      return std::pair(!was_killed || rank.was_ended_by_us, rank.order);
    };
    for (const SpawnedRank& rank : ranks_) {
      if (rank.process.status() != 0 && (first == nullptr || key(rank) < key(*first)))
        first = &rank;
    }
    if (first == nullptr) return "";
    return fmt::format("rank {} {}", first - ranks_.data(),
                       first->was_ended_by_us ? "was killed, because it did not end after SIGTERM"
                                              : describe_end(*first->process.status()));
  }

 private:
  std::vector<SpawnedRank> ranks_;
  int ended_ = 0;
};

}  // namespace

std::string run_ranks(int count, const std::vector<std::string>& command,
                      std::chrono::milliseconds grace, const std::stop_token& stop) {
  SpawnedRanks ranks(count, command);
  std::optional<SteadyTime> terminate_at, kill_at;
  while (ranks.is_any_left()) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (!terminate_at && ranks.has_failed()) terminate_at = now + grace;
    if (!kill_at && (stop.stop_requested() || (terminate_at && now >= *terminate_at))) {
      ranks.send(SIGTERM);
      kill_at = now + grace;
    }
    if (kill_at && now >= *kill_at) ranks.send(SIGKILL);
    std::this_thread::sleep_for(kPollInterval);
  }
  return ranks.describe_failure();
}

}  // namespace feedrate
