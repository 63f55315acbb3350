// SPDX-License-Identifier: Apache-2.0
// Keeps two programs from writing into one folder. One thread.
#pragma once
#include <chrono>
#include <filesystem>

#include "core/unique_fd.h"

namespace feedrate {

/// Holds the lock from construction to destruction; the kernel releases that of a killed process.
class FolderLock {
 public:
  /// Worker processes inherit the lock and outlive a killed parent for a moment, so it waits.
  static constexpr std::chrono::seconds kPatience{5};

  /// Throws ConfigError if another process still holds the lock after `patience`, SystemError if
  /// there is no folder. If the file system has no locks, nothing is locked.
  explicit FolderLock(const std::filesystem::path& folder,
                      std::chrono::milliseconds patience = kPatience);

 private:
  UniqueFd descriptor_;
};

}  // namespace feedrate
