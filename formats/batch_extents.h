// SPDX-License-Identifier: Apache-2.0
// Asks storage for all that a batch is going to need, at once and in the order in which it lies.
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
  /// Bytes that lie this close behind others are asked for with them: one larger read is cheaper
  /// than two.
  static constexpr std::uint64_t kJoinedGap = std::uint64_t{16} * 1024;

  /// REQUIRES: `fd` is open until ask()
  void add(int fd, std::uint64_t offset, std::uint64_t size) {
    extents_.push_back({fd, offset, offset + size});
  }

  /// Asks for what was added since the last time, and returns while storage is at work. Advice:
  /// what it does not bring, reading does. Returns how many pieces were asked for.
  std::size_t ask() noexcept;

 private:
  struct Extent {
    int fd;
    std::uint64_t begin;
    std::uint64_t end;
  };

  std::vector<Extent> extents_;
};

/// The same for a whole file, whatever becomes of it.
void want_file(const std::string& path) noexcept;

/// The same for bytes of a file that is mapped.
void want_mapped(Bytes bytes) noexcept;

}  // namespace feedrate
