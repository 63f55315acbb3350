// SPDX-License-Identifier: Apache-2.0
// The block device of a path and its traffic. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

/// A block device by its numbers in /proc/diskstats.
struct BlockDevice {
  unsigned major = 0;
  unsigned minor = 0;
};

struct DiskBytes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

/// Returns nothing if the path does not exist, or if its file system has no block device: tmpfs,
/// overlay, NFS, Lustre.
[[nodiscard]] std::optional<BlockDevice> find_block_device(const std::filesystem::path& path);

/// Returns totals of all processes since the machine started; nothing if the kernel does not list
/// the device.
[[nodiscard]] std::optional<DiskBytes> read_disk_bytes(const BlockDevice& device,
                                                       const std::filesystem::path& root = "/");

}  // namespace feedrate
