// SPDX-License-Identifier: Apache-2.0
// The file that storage is measured with: bytes that do not compress, and reads at its blocks.
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

/// Reading is safe from any thread; the page cache is one thread's business at a time.
class TestFile {
 public:
  /// Writes it, and waits until it is on storage. Throws SystemError, or Cancelled.
  TestFile(const std::filesystem::path& path, std::uint64_t size, const std::stop_token& stop);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Reads out.size() bytes. REQUIRES: (block + 1) * out.size() <= size()
  void read(std::uint64_t block, MutableBytes out) const;

  /// Asks the kernel to forget it; what is still in the page cache then, 0 to 1.
  [[nodiscard]] double drop();
  /// Brings it into the page cache as a dataset gets there: read in order from storage, whatever
  /// was there before. What is there then, 0 to 1.
  [[nodiscard]] double fill(const std::stop_token& stop);

 private:
  std::filesystem::path path_;
  std::string name_;
  std::uint64_t size_;
  UniqueFd file_;
  bool is_read_in_order_ = false;  // What is in the page cache got there by fill().
};

/// A doubt where `share` of a file that ought to be cold is in the page cache; otherwise empty.
[[nodiscard]] std::string why_not_cold(double share);
/// The same of one that ought to be warm.
[[nodiscard]] std::string why_not_warm(double share);

}  // namespace feedrate
