// SPDX-License-Identifier: Apache-2.0
// Measures, drops and fills the page cache of a dataset's files, without root. A file that cannot
// be inspected is counted and never throws. Any thread.
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
  /// Files left out of both sums: they are not readable, or neither owned nor writable by this
  /// user; of those, Linux 5.2 and later reports every page as resident.
  std::size_t unknown_files = 0;

  /// The resident share of the bytes, 0 to 1; NaN if unknown.
  [[nodiscard]] double share() const;
};

[[nodiscard]] Residency page_cache_residency(std::span<const std::filesystem::path> files);

[[nodiscard]] inline double resident_share(std::span<const std::filesystem::path> files) {
  return page_cache_residency(files).share();
}

/// Returns at most a thousand files, evenly spread: to inspect a million takes longer than a cell.
[[nodiscard]] std::vector<std::filesystem::path> some_of(
    std::span<const std::filesystem::path> files);

/// Writes dirty pages and asks the kernel to drop all. Pages that another process maps stay, so
/// verify with page_cache_residency(). Returns the number of files that failed.
std::size_t drop_page_cache(std::span<const std::filesystem::path> files);

/// Reads files that are not resident. Skips a file that cannot be read: verify with
/// page_cache_residency(). Throws Cancelled once `stop` is requested.
void fill_page_cache(std::span<const std::filesystem::path> files, const std::stop_token& stop);

}  // namespace feedrate
