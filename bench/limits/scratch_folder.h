// A folder for files that are needed for a while.
#pragma once
#include <filesystem>

namespace feedrate {

/// Goes with all that is in it. One thread.
class ScratchFolder {
 public:
  /// Hidden, within `parent`. Throws ConfigError if that is no folder, SystemError if the system
  /// refuses.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace feedrate
