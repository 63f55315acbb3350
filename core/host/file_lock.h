// SPDX-License-Identifier: Apache-2.0
// A lock between processes (and threads): a file that exists only while it is held or waited for.
#pragma once
#include <filesystem>
#include <stop_token>

#include "core/host/file.h"

namespace feedrate {

/// Holds the lock from construction to destruction. If the file system has no locks, nothing is
/// locked. One thread.
class FileLock {
 public:
  /// Creates `path` and the folder that holds it, and waits until no process has the lock. Throws
  /// Cancelled when `stop` is requested while waiting, SystemError if the system refuses.
  FileLock(std::filesystem::path path, const std::stop_token& stop);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  /// Removes the file, and the folder if nothing else is in it.
  ~FileLock();

 private:
  std::filesystem::path path_;
  UniqueFd fd_;
};

}  // namespace feedrate
