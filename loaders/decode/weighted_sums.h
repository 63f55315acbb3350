// SPDX-License-Identifier: Apache-2.0
// The sums that a resize consists of. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

#include "loaders/decode/resample.h"

namespace feedrate {

/// Bytes behind a row of pixels that may be read with it.
inline constexpr std::size_t kReadBehind = 16;

/// One row of RGB pixels becomes filter.output pixels. `row` is as the filter's input, and
/// kReadBehind more bytes can be read. By AVX2 where the machine has it, else by SSE2; on others
/// than x86_64 in plain C++.
void weigh_pixels(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);

/// Output row `index` of the filter: a sum of whole rows of `source`.
void weigh_rows(const PixelView& source, const AxisFilter& filter, std::size_t index,
                std::uint8_t* target);

/// Which of these it is here: "AVX2", "SSE2" or "no SIMD".
[[nodiscard]] const char* simd_name() noexcept;

/// The same by SSE2, and without it in plain C++; weigh_rows_sse2() returns how many values it has
/// made: those that are left do not fill a vector.
void weigh_pixels_sse2(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
[[nodiscard]] std::size_t weigh_rows_sse2(const PixelView& source, const AxisFilter& filter,
                                          std::size_t index, std::uint8_t* target);

/// The same in plain C++, for other machines and for tests; of a row from `first_value` on.
void weigh_pixels_plain(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
void weigh_rows_plain(const PixelView& source, const AxisFilter& filter, std::size_t index,
                      std::uint8_t* target, std::size_t first_value = 0);

}  // namespace feedrate
