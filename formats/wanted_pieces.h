// SPDX-License-Identifier: Apache-2.0
// What of a range the kernel takes in one call of POSIX_FADV_WILLNEED or MADV_WILLNEED.
#pragma once
#include <algorithm>
#include <cstdint>

namespace feedrate {

/// The kernel begins to read as much as the device's read_ahead_kb or, where that is more, its
/// largest request, and forgets the rest (force_page_cache_ra() in mm/readahead.c). 128 KiB is its
/// default.
inline constexpr std::uint64_t kWantedAtOnce = 128 * 1024;

/// Calls `want(offset, size)` for pieces of [begin, end) that are taken whole.
template <typename Want>
void for_wanted_pieces(std::uint64_t begin, std::uint64_t end, Want want) {
  for (; begin < end; begin += std::min(kWantedAtOnce, end - begin)) {
    want(begin, std::min(kWantedAtOnce, end - begin));
  }
}

}  // namespace feedrate
