// SPDX-License-Identifier: Apache-2.0
// The largest image that is decoded or made. Checked before memory is allocated, so that a damaged
// header cannot ask for all of it. Any thread.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/image_shape.h"

namespace feedrate {

/// Where Pillow raises DecompressionBombError: 2 · (1 GiB / 4 / 3).
inline constexpr std::int64_t kMaxPixels = 178'956'970;

/// Throws FormatError, which begins with `what`, if height × width is more than kMaxPixels or
/// empty.
void check_pixel_count(std::string_view what, std::int64_t height, std::int64_t width);

/// Throws FormatError unless an image of this shape can be written: RGB, and not too large to be
/// read again.
void check_encodable(const ImageShape& shape);

}  // namespace feedrate
