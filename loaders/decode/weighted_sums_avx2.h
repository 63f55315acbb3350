// SPDX-License-Identifier: Apache-2.0
// weighted_sums.h in 256 bits, to the same bytes. Pure functions; any thread.
#pragma once
#include "loaders/decode/weighted_sums.h"

namespace feedrate {

/// Whether this machine has the instructions; the functions below may be called only then.
[[nodiscard]] bool has_avx2() noexcept;

void weigh_pixels_avx2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
/// Returns how many values it has made; the few that are left do not fill a vector.
[[nodiscard]] std::size_t weigh_rows_avx2(const PixelView& source, const AxisFilter& filter,
                                          std::size_t index, std::uint8_t* target);

}  // namespace feedrate
