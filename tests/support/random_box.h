// SPDX-License-Identifier: Apache-2.0
// Random crop boxes, from one pixel to the whole image.
#pragma once
#include <cstdint>

#include "core/image_shape.h"
#include "core/random.h"
#include "loaders/decode/selection.h"

namespace feedrate::testing {

inline CropBox random_box(const ImageShape& shape, RandomStream& random) {
  const auto below = [&](int bound) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(bound)));
  };
  CropBox box;
  box.height = 1 + below(shape.height);
  box.width = 1 + below(shape.width);
  box.top = below(shape.height - box.height + 1);
  box.left = below(shape.width - box.width + 1);
  return box;
}

}  // namespace feedrate::testing
