// SPDX-License-Identifier: Apache-2.0
// A dataset being written: under a hidden name in its target's folder, renamed to the target when
// it is complete.
#pragma once
#include <filesystem>
#include <string>

#include "core/temporary_folder.h"

namespace feedrate {

/// Owns the hidden folder; the destructor removes it. Used by one thread.
class Staging {
 public:
  /// Creates the folders above `target`. Throws ConfigError if `target` exists, SystemError if the
  /// system refuses.
  explicit Staging(const std::filesystem::path& target);

  /// The final path of the dataset, without a trailing slash.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  /// The path to build what publish() moves to `target() + suffix`.
  [[nodiscard]] std::filesystem::path draft(const std::string& suffix = {}) const;

  /// Renames draft(suffix) durably. REQUIRES: the caller has synced its content
  void publish(const std::string& suffix = {});

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

/// Throws ConfigError if `path` exists or is on a server.
void require_absent(const std::filesystem::path& path);

}  // namespace feedrate
