// SPDX-License-Identifier: Apache-2.0
// Tells whether the kernel killed a process of a cell for lack of memory, which a killed worker
// cannot report. One thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

/// Counts from its construction on.
class OutOfMemory {
 public:
  explicit OutOfMemory(std::filesystem::path root = "/");

  /// Returns `reason`, why a cell failed, preceded by "out of memory: …" if the kernel has killed
  /// processes; unchanged if it has killed none or does not count.
  [[nodiscard]] std::string explain(const std::string& reason) const;

 private:
  std::filesystem::path root_;
  std::optional<std::uint64_t> kills_before_;
};

}  // namespace feedrate
