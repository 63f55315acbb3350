// SPDX-License-Identifier: Apache-2.0
// Which part of a dataset's files lies in the page cache, and how to get it out, without being
// root. A file that cannot be looked at is counted, never fatal. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <vector>

namespace feedrate {

struct Residency {
  std::uint64_t total_bytes = 0;
  std::uint64_t resident_bytes = 0;
  /// Files left out of both sums: not readable, or neither owned nor writable by this user, for
  /// which Linux (5.2 and later) calls every page resident.
  std::size_t unknown_files = 0;

  /// 0 to 1; not a number where nothing is known.
  [[nodiscard]] double share() const;
};

[[nodiscard]] Residency page_cache_residency(std::span<const std::filesystem::path> files);

[[nodiscard]] inline double resident_share(std::span<const std::filesystem::path> files) {
  return page_cache_residency(files).share();
}

/// At most a thousand, evenly spread: to look at each of a million would take longer than a cell.
[[nodiscard]] std::vector<std::filesystem::path> some_of(
    std::span<const std::filesystem::path> files);

/// Writes what is dirty and asks the kernel to forget the rest. Pages that another process maps
/// stay, so verify with page_cache_residency(). Returns the number of files that failed.
std::size_t drop_page_cache(std::span<const std::filesystem::path> files);

/// Reads what is not there yet. A file that cannot be read is passed over: see
/// page_cache_residency() for what came of it. Throws Cancelled once `stop` is requested.
void fill_page_cache(std::span<const std::filesystem::path> files, const std::stop_token& stop);

}  // namespace feedrate
