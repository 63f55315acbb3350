// SPDX-License-Identifier: Apache-2.0
// Splits a range for POSIX_FADV_WILLNEED and MADV_WILLNEED, whose calls have a maximum size.
#pragma once
#include <algorithm>
#include <cstdint>

namespace feedrate {

/// A call reads at most the device's read_ahead_kb or its largest request, whichever is more, and
/// drops the rest (force_page_cache_ra() in mm/readahead.c). 128 KiB is the default read_ahead_kb.
inline constexpr std::uint64_t kWantedAtOnce = 128 * 1024;

/// Calls `want(offset, size)` for pieces of [begin, end), each within that limit.
template <typename Want>
void for_wanted_pieces(std::uint64_t begin, std::uint64_t end, Want want) {
  for (; begin < end; begin += std::min(kWantedAtOnce, end - begin)) {
    want(begin, std::min(kWantedAtOnce, end - begin));
  }
}

}  // namespace feedrate
