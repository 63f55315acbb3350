// SPDX-License-Identifier: Apache-2.0
// The file systems mounted where this process sees them (/proc/self/mountinfo). Any thread.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace feedrate {

struct Mount {
  std::string root;     ///< the part of the file system that is mounted, usually "/"
  std::string point;    ///< where
  std::string type;     ///< "ext4"
  std::string source;   ///< "/dev/sda1"
  std::string options;  ///< of the file system: "rw,cpu,cpuacct"
};

/// In the order of mounting: of two at one point the later one is seen.
[[nodiscard]] std::vector<Mount> read_mounts(const std::filesystem::path& root = "/");

/// The one that `path` (absolute) lies on; null where there is none.
[[nodiscard]] const Mount* find_mount(const std::vector<Mount>& mounts,
                                      const std::filesystem::path& path);

}  // namespace feedrate
