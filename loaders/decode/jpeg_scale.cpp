// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/jpeg_scale.h"

#include <cstdint>

namespace feedrate {

int eighths_for(const Selection& wanted) {
  const auto is_enough = [](int eighths, int have, int want) {
    return std::int64_t{have} * eighths >= std::int64_t{want} * 8;
  };
  for (const int eighths : {1, 2, 4}) {
    if (is_enough(eighths, wanted.box.height, wanted.height) &&
        is_enough(eighths, wanted.box.width, wanted.width)) {
      return eighths;
    }
  }
  return 8;
}

CropBox scaled(const CropBox& box, int eighths) {
  const auto down = [&](int position) {
    return static_cast<int>(std::int64_t{position} * eighths / 8);
  };
  const auto up = [&](int position) {
    return static_cast<int>((std::int64_t{position} * eighths + 7) / 8);
  };
  const int top = down(box.top);
  const int left = down(box.left);
  return {top, left, up(box.top + box.height) - top, up(box.left + box.width) - left};
}

}  // namespace feedrate
