// SPDX-License-Identifier: Apache-2.0
// The weighted sums of a resize. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

#include "loaders/decode/resample.h"

namespace feedrate {

/// Bytes past the end of a row that may be read.
inline constexpr std::size_t kReadPastEnd = 16;

/// Resizes one row of RGB pixels to filter.output pixels. `row` has filter.input pixels and
/// kReadPastEnd more readable bytes. Uses AVX2 if the machine has it, else SSE2; plain C++ on other
/// machines than x86_64.
void weigh_pixels(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);

/// Writes output row `index` of the filter: a weighted sum of rows of `source`.
void weigh_rows(const PixelView& source, const AxisFilter& filter, std::size_t index,
                std::uint8_t* target);

/// The instructions that these functions use: "AVX2", "SSE2" or "no SIMD".
[[nodiscard]] const char* simd_name() noexcept;

/// The same with SSE2, or plain C++ without it. weigh_rows_sse2() returns the number of values
/// written; the rest does not fill a vector.
void weigh_pixels_sse2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
[[nodiscard]] std::size_t weigh_rows_sse2(const PixelView& source, const AxisFilter& filter,
                                          std::size_t index, std::uint8_t* target);

/// The same in plain C++, for other machines and for tests. weigh_rows_plain() begins at value
/// `first_value`.
void weigh_pixels_plain(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
void weigh_rows_plain(const PixelView& source, const AxisFilter& filter, std::size_t index,
                      std::uint8_t* target, std::size_t first_value = 0);

}  // namespace feedrate
