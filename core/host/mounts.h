// SPDX-License-Identifier: Apache-2.0
// The mounted file systems that this process sees (/proc/self/mountinfo). Any thread.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace feedrate {

struct Mount {
  std::string root;     ///< the part of the file system that is mounted, usually "/"
  std::string point;    ///< mount point
  std::string type;     ///< "ext4"
  std::string source;   ///< "/dev/sda1"
  std::string options;  ///< options of the file system: "rw,cpu,cpuacct"
};

/// Returns mounts in the order of mounting: a later one hides an earlier one at the same point.
[[nodiscard]] std::vector<Mount> read_mounts(const std::filesystem::path& root = "/");

/// Returns the mount that contains the absolute path `path`; null if there is none.
[[nodiscard]] const Mount* find_mount(const std::vector<Mount>& mounts,
                                      const std::filesystem::path& path);

}  // namespace feedrate
