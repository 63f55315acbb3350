// SPDX-License-Identifier: Apache-2.0
// Pixels in memory, as decoders and transforms use them.
#pragma once
#include <cstdint>
#include <vector>

#include "core/image_shape.h"

namespace feedrate {

/// 8-bit RGB pixels, HWC, rows without padding. Keeps its memory when it shrinks, so that a reused
/// image allocates nothing after the largest one.
struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;

  /// Ensures pixels.size() >= shape.size(); the content is unspecified.
  void reset(ImageShape new_shape) {
    shape = new_shape;
    if (pixels.size() < shape.size()) pixels.resize(shape.size());
  }
};

}  // namespace feedrate
