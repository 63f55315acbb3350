// SPDX-License-Identifier: Apache-2.0
// Tells whether the kernel killed a process of a cell for want of memory: a worker that is killed
// cannot say so itself. One thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

/// Watches from its construction on.
class OutOfMemory {
 public:
  explicit OutOfMemory(std::filesystem::path root = "/");

  /// `reason`, why a cell failed, preceded by what the kernel counted during the cell: "out of
  /// memory: …". Unchanged if the kernel has killed no process, or does not count.
  [[nodiscard]] std::string explain(const std::string& reason) const;

 private:
  std::filesystem::path root_;
  std::optional<std::uint64_t> kills_before_;
};

}  // namespace feedrate
