// SPDX-License-Identifier: Apache-2.0
// Advises the kernel to read all extents of a batch at once, in storage order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

/// Used by one thread. Allocates nothing after its largest batch.
class BatchExtents {
 public:
  /// Extents at most this far apart are read as one: one larger read is cheaper than two.
  static constexpr std::uint64_t kJoinedGap = std::uint64_t{16} * 1024;

  /// REQUIRES: `fd` is open until ask()
  void add(int fd, std::uint64_t offset, std::uint64_t size) {
    extents_.push_back({fd, offset, offset + size});
  }

  /// Starts reading the extents added since the last call, and returns without waiting. It is
  /// advice: a later read fetches what it missed. Returns the number of pieces after merging.
  std::size_t ask() noexcept;

 private:
  struct Extent {
    int fd;
    std::uint64_t begin;
    std::uint64_t end;
  };

  std::vector<Extent> extents_;
};

/// Advises the kernel to read a whole file. Ignores errors.
void want_file(const std::string& path) noexcept;

/// Advises the kernel to read these bytes of a mapped file.
void want_mapped(Bytes bytes) noexcept;

}  // namespace feedrate
