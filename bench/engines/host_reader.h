// SPDX-License-Identifier: Apache-2.0
// Reads the counters of this machine and of this process's tree. One thread at a time.
#pragma once
#include <filesystem>
#include <vector>

#include "bench/engines/monitor_record.h"

namespace feedrate {

class HostReader {
 public:
  /// `dataset` is any path of the dataset; empty if there is none.
  explicit HostReader(const std::filesystem::path& dataset);

  [[nodiscard]] HostBounds bounds() const;
  /// Updates the list of processes; its cost grows with their number of threads.
  void find_processes();
  /// Reads all counters; those of processes for the list of the last find_processes().
  [[nodiscard]] HostSnapshot read(double at) const;
  /// Reads the counters of foreign load. It lists this process's tree again.
  [[nodiscard]] ForeignMark mark_foreign() const;

 private:
  CpuList cpus_;
  std::optional<BlockDevice> disk_;
  std::vector<pid_t> processes_;
};

}  // namespace feedrate
