// SPDX-License-Identifier: Apache-2.0
// The file used to measure storage: incompressible bytes, read by block.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/host/file.h"
#include "core/units.h"

namespace feedrate {

/// read() is safe from any thread; drop() and fill() from one thread at a time.
class TestFile {
 public:
  /// Writes the file and waits until it is on storage. Throws SystemError, Cancelled.
  TestFile(const std::filesystem::path& path, std::uint64_t size, const std::stop_token& stop);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Reads out.size() bytes. REQUIRES: (block + 1) * out.size() <= size()
  void read(std::uint64_t block, MutableBytes out) const;

  /// Drops the file from the page cache. Returns the share that is still cached, 0 to 1.
  [[nodiscard]] double drop();
  /// Reads the file into the page cache in order, as a dataset gets there. Returns the cached
  /// share, 0 to 1.
  [[nodiscard]] double fill(const std::stop_token& stop);

 private:
  std::filesystem::path path_;
  std::string name_;
  std::uint64_t size_;
  UniqueFd file_;
  bool is_read_in_order_ = false;  // fill() has read the cached part.
};

/// Returns a warning if `share` of a file that should be cold is in the page cache; otherwise
/// empty.
[[nodiscard]] std::string why_not_cold(double share);
/// Returns a warning if a file that should be warm is not; otherwise empty.
[[nodiscard]] std::string why_not_warm(double share);

}  // namespace feedrate
