// SPDX-License-Identifier: Apache-2.0
#include "core/host/block_device.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/host/text_file.h"

namespace feedrate {

std::optional<BlockDevice> find_block_device(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const BlockDevice device{::major(status.st_dev), ::minor(status.st_dev)};
  // File systems without a block device have the major number 0.
  return device.major == 0 ? std::nullopt : std::optional(device);
}

std::optional<DiskBytes> read_disk_bytes(const BlockDevice& device,
                                         const std::filesystem::path& root) {
  // A line is "254 0 vda reads merged sectors_read ms writes merged sectors_written …". A sector
  // has 512 bytes on every device (Documentation/admin-guide/iostats.rst).
  constexpr std::uint64_t kSector = 512;
  const std::string text = read_text(root / "proc/diskstats").value_or("");
  for (const std::string_view line : split_lines(text)) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 10) continue;
    if (parse_unsigned(words[0]) != device.major || parse_unsigned(words[1]) != device.minor) {
      continue;
    }
    const auto read = parse_unsigned(words[5]);
    const auto written = parse_unsigned(words[9]);
    if (!read || !written) return std::nullopt;
    return DiskBytes{*read * kSector, *written * kSector};
  }
  return std::nullopt;
}

}  // namespace feedrate
