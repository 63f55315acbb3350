// SPDX-License-Identifier: Apache-2.0
// A dataset in the making: it grows under a hidden name beside its target and takes its place only
// when it is whole.
#pragma once
#include <filesystem>
#include <string>

#include "core/temporary_folder.h"

namespace feedrate {

/// Owns the hidden folder, which goes with all that was not published. One thread.
class Staging {
 public:
  /// Creates the folders above `target`. Throws ConfigError if `target` exists, SystemError if the
  /// system refuses.
  explicit Staging(const std::filesystem::path& target);

  /// The final path of the dataset, without a trailing slash.
  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }
  /// Where the writer builds what publish() will move to `target() + suffix`.
  [[nodiscard]] std::filesystem::path draft(const std::string& suffix = {}) const;

  /// Moves draft(suffix) to its place, durably. The caller has synced its content.
  void publish(const std::string& suffix = {});

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

/// Throws ConfigError if there is anything at `path`, and if it is on a server.
void require_absent(const std::filesystem::path& path);

}  // namespace feedrate
