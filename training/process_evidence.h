// SPDX-License-Identifier: Apache-2.0
// Polls /proc for the processes that load batches. One thread.
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

/// Counters since a process began; 0 if the kernel does not report one.
struct ProcessCounters {
  Nanos running{};               ///< of its main thread, on a CPU
  Nanos runnable{};              ///< of its main thread, waiting for a CPU
  std::uint64_t read_bytes = 0;  ///< that storage delivered
  std::uint64_t major_faults = 0;
};

/// Nothing after its end.
[[nodiscard]] std::optional<ProcessCounters> read_counters(const std::filesystem::path& root,
                                                           pid_t process);

class ProcessEvidence {
 public:
  explicit ProcessEvidence(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The activity since the previous poll, by connection. Call it often: it polls four times in the
  /// first second, then less often, down to once in five seconds.
  [[nodiscard]] std::vector<std::pair<std::size_t, LoaderEvidence>> poll(const Watch& watch,
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
