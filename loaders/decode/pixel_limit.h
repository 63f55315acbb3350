// SPDX-License-Identifier: Apache-2.0
// The limit on image sizes. It is checked before memory is allocated, so that a damaged header
// cannot exhaust the memory. Any thread.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/image_shape.h"

namespace feedrate {

/// Pillow raises DecompressionBombError above it: 2 · (1 GiB / 4 / 3).
inline constexpr std::int64_t kMaxPixels = 178'956'970;

/// Throws FormatError, whose text begins with `what`, if height × width exceeds kMaxPixels or the
/// image is empty.
void check_pixel_count(std::string_view what, std::int64_t height, std::int64_t width);

/// Throws FormatError unless an image of this shape is RGB and small enough to be decoded again.
void check_encodable(const ImageShape& shape);

}  // namespace feedrate
