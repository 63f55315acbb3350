// SPDX-License-Identifier: Apache-2.0
// Looks at the processes that load batches, from outside: at /proc, seldom. One thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "training/watch.h"

namespace feedrate {

/// Since a process began. What the kernel does not tell is 0.
struct ProcessCounters {
  Nanos running{};               ///< of its main thread, on a CPU
  Nanos runnable{};              ///< of its main thread, waiting for a CPU
  std::uint64_t read_bytes = 0;  ///< that storage delivered
  std::uint64_t major_faults = 0;
};

/// Nothing once it has ended.
[[nodiscard]] std::optional<ProcessCounters> read_counters(const std::filesystem::path& root,
                                                           pid_t process);

class ProcessEvidence {
 public:
  explicit ProcessEvidence(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// What was done since the last look, by connection. To be called often; it looks four times in
  /// the first second, then less often, down to each five seconds.
  [[nodiscard]] std::vector<std::pair<std::size_t, LoaderEvidence>> look(const Watch& watch,
                                                                         Nanos now);

 private:
  struct Seen {
    Nanos at{};
    ProcessCounters counters;
  };
  struct Loader {
    std::size_t batches = 0;
    std::map<pid_t, Seen> processes;
  };

  [[nodiscard]] std::vector<pid_t> loading_processes(const WatchedLoader& watched) const;
  [[nodiscard]] LoadingEvidence evidence_of(Loader& known, const WatchedLoader& watched,
                                            Nanos now) const;

  std::filesystem::path root_;
  std::optional<Nanos> first_;
  Nanos next_{};
  std::map<std::pair<std::size_t, std::size_t>, Loader> loaders_;  // By connection and number.
};

}  // namespace feedrate
