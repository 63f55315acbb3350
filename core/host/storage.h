// SPDX-License-Identifier: Apache-2.0
// Where a path lies: file system, device, free space. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

struct StorageInfo {
  std::string file_system;  ///< "ext4"; "0x6969" where only its number is known
  std::string device;       ///< "/dev/sda1", "server:/export"; empty where not known
  std::string mount_point;
  std::uint64_t free_bytes = 0;  ///< for this user
  bool is_network = false;       ///< others share it, and its cache is not only this machine's
};

/// Of an object, scheme and bucket or host. A path that does not exist yet is looked up by the
/// nearest folder above it that does. Throws SystemError.
[[nodiscard]] StorageInfo read_storage_info(const std::filesystem::path& path,
                                            const std::filesystem::path& root = "/");

[[nodiscard]] bool is_network_file_system(std::string_view type);

}  // namespace feedrate
