// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace feedrate {

/// The first usable folder of $TMPDIR, /tmp, $XDG_RUNTIME_DIR and $HOME/.cache. The path is
/// absolute, has no colon, so that it may be in PYTHONPATH, and at most 64 bytes, so that the path
/// of a socket in it is not too long. Throws SystemError.
[[nodiscard]] std::filesystem::path temporary_root();

/// A folder that only this user can read; the destructor removes it with its contents. Its name has
/// an owner mark: the constructor also removes folders of the same prefix that killed processes
/// have left. One thread.
class TemporaryFolder {
 public:
  /// The path is `prefix` and a unique rest; no other kind of file there may begin with it. Throws
  /// SystemError.
  explicit TemporaryFolder(const std::filesystem::path& prefix);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feedrate
