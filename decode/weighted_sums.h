// The sums that a resize consists of. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

#include "decode/resample.h"

namespace feedrate {

/// One row of RGB pixels becomes filter.output pixels. `row` is as the filter's input, and 4 more
/// bytes can be read behind it.
void weigh_pixels(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);

/// Output row `index` of the filter: a sum of whole rows of `source`.
void weigh_rows(const PixelView& source, const AxisFilter& filter, std::size_t index,
                std::uint8_t* target);

/// The same in plain C++, for machines without SSE2 and for tests; of a row from `first_value` on.
void weigh_pixels_plain(const std::uint8_t* row, const AxisFilter& filter, std::uint8_t* target);
void weigh_rows_plain(const PixelView& source, const AxisFilter& filter, std::size_t index,
                      std::uint8_t* target, std::size_t first_value = 0);

}  // namespace feedrate
