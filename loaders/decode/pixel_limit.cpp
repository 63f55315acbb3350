// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/pixel_limit.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

void check_pixel_count(std::string_view what, std::int64_t height, std::int64_t width) {
  if (height <= 0 || width <= 0) {
    throw FormatError(fmt::format("{} of {} rows and {} columns is empty", what, height, width));
  }
  if (height > kMaxPixels / width) {
    throw FormatError(
        fmt::format("{} of {} rows and {} columns is too large; at most {} pixels are "
                    "decoded",
                    what, height, width, kMaxPixels));
  }
}

void check_encodable(const ImageShape& shape) {
  check_pixel_count("image", shape.height, shape.width);
  if (shape.channels != 3) {
    throw FormatError(
        fmt::format("image has {} channels; only RGB can be encoded", shape.channels));
  }
}

}  // namespace feedrate
