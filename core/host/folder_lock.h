// SPDX-License-Identifier: Apache-2.0
// Keeps two programs from writing into one folder. One thread.
#pragma once
#include <chrono>
#include <filesystem>

#include "core/unique_fd.h"

namespace feedrate {

/// Held from construction to destruction, and released once the process is gone, killed or not.
class FolderLock {
 public:
  /// Worker processes inherit the lock, and outlive a killed parent for a moment.
  static constexpr std::chrono::seconds kPatience{5};

  /// Throws ConfigError if another one holds it all the time. Where the file system has no locks,
  /// nothing is locked. Throws SystemError if there is no folder.
  explicit FolderLock(const std::filesystem::path& folder,
                      std::chrono::milliseconds patience = kPatience);

 private:
  UniqueFd descriptor_;
};

}  // namespace feedrate
