// SPDX-License-Identifier: Apache-2.0
// Advises the kernel to read all extents of a batch at once, in storage order.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"
#include "formats/read_options.h"

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

/// Turns the kernel's read-ahead on (kSequential) or off (kRandom). It is advice: a filesystem may
/// ignore it.
void advise(int fd, ReadOrder order) noexcept;

/// A call of POSIX_FADV_WILLNEED or MADV_WILLNEED reads at most the device's read_ahead_kb or its
/// largest request, whichever is more, and drops the rest (force_page_cache_ra() in
/// mm/readahead.c). 128 KiB is the default read_ahead_kb.
inline constexpr std::uint64_t kWantedAtOnce = 128 * 1024;

/// Calls `want(offset, size)` for pieces of [begin, end), each within that limit.
template <typename Want>
void for_wanted_pieces(std::uint64_t begin, std::uint64_t end, Want want) {
  for (; begin < end; begin += std::min(kWantedAtOnce, end - begin)) {
    want(begin, std::min(kWantedAtOnce, end - begin));
  }
}

}  // namespace feedrate
