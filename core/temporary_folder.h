// SPDX-License-Identifier: Apache-2.0
// A folder for files that are needed for a while.
#pragma once
#include <filesystem>

namespace feedrate {

/// Where such folders belong: $TMPDIR, or where it is unusable /tmp, $XDG_RUNTIME_DIR or
/// $HOME/.cache. Absolute; without a colon, so that it may stand in PYTHONPATH, and of at most 64
/// bytes, so that the path of a socket in it is not too long. Throws SystemError.
[[nodiscard]] std::filesystem::path temporary_root();

/// Readable by this user only; goes with all that is in it. Its name says whose it is, so that one
/// that a killed process has left goes with the next one of its prefix. One thread.
class TemporaryFolder {
 public:
  /// `prefix` is how its path begins, as no other kind of file does there; the rest is made up.
  /// Throws SystemError.
  explicit TemporaryFolder(const std::filesystem::path& prefix);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feedrate
