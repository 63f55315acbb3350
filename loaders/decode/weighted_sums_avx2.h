// SPDX-License-Identifier: Apache-2.0
// The functions of weighted_sums.h with 256-bit vectors; they give the same bytes. Pure functions;
// any thread.
#pragma once
#include "loaders/decode/weighted_sums.h"

namespace feedrate {

/// Whether this machine has AVX2, which the functions below require.
[[nodiscard]] bool has_avx2() noexcept;

void weigh_pixels_avx2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
/// Returns the number of values written; the rest does not fill a vector.
[[nodiscard]] std::size_t weigh_rows_avx2(const PixelView& source, const AxisFilter& filter,
                                          std::size_t index, std::uint8_t* target);

}  // namespace feedrate
