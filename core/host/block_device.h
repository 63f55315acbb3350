// SPDX-License-Identifier: Apache-2.0
// The block device below a path, and how much went over it: take the difference of two calls. Any
// thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace feedrate {

/// By its numbers, as /proc/diskstats has them.
struct BlockDevice {
  unsigned major = 0;
  unsigned minor = 0;
};

struct DiskBytes {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
};

/// Nothing where the path is not there, or no block device of its own lies below its file system:
/// tmpfs, overlay, NFS, Lustre.
[[nodiscard]] std::optional<BlockDevice> find_block_device(const std::filesystem::path& path);

/// Since the machine started, of all processes. Nothing where the kernel does not list it.
[[nodiscard]] std::optional<DiskBytes> read_disk_bytes(const BlockDevice& device,
                                                       const std::filesystem::path& root = "/");

}  // namespace feedrate
