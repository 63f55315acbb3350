// SPDX-License-Identifier: Apache-2.0
// The storage of a path: file system, device, free space. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

struct StorageInfo {
  std::string file_system;  ///< "ext4"; "0x6969" if only its number is known
  std::string device;       ///< "/dev/sda1", "server:/export"; empty if unknown
  std::string mount_point;
  std::uint64_t free_bytes = 0;  ///< for this user
  bool is_network = false;       ///< other machines share it and its cache
};

/// For a path that does not exist yet, its nearest existing parent folder counts. For an object in
/// remote storage, `file_system` is the scheme and `device` the bucket or host. Throws SystemError.
[[nodiscard]] StorageInfo read_storage_info(const std::filesystem::path& path,
                                            const std::filesystem::path& root = "/");

[[nodiscard]] bool is_network_file_system(std::string_view type);

}  // namespace feedrate
