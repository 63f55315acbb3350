// SPDX-License-Identifier: Apache-2.0
// Looks at this machine and at this process's tree. One thread at a time.
#pragma once
#include <filesystem>
#include <vector>

#include "bench/engines/monitor_record.h"

namespace feedrate {

class HostReader {
 public:
  /// `dataset` is any path of it; empty where there is none.
  explicit HostReader(const std::filesystem::path& dataset);

  [[nodiscard]] HostBounds bounds() const;
  /// Looks for processes that have come and gone; costs more the more threads there are.
  void find_processes();
  /// Of the processes that were found last.
  [[nodiscard]] HostLook look(double at) const;
  /// Of this process's whole tree.
  [[nodiscard]] ForeignMark mark_foreign() const;

 private:
  CpuList cpus_;
  std::optional<BlockDevice> disk_;
  std::vector<pid_t> processes_;
};

}  // namespace feedrate
