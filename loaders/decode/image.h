// SPDX-License-Identifier: Apache-2.0
// Pixels in memory while a sample is made.
#pragma once
#include <cstdint>
#include <vector>

#include "core/image_shape.h"

namespace feedrate {

/// 8-bit RGB, HWC, rows without gaps. Keeps its memory when it shrinks, so that a worker that
/// reuses one allocates nothing after the largest image.
struct Image {
  ImageShape shape;
  std::vector<std::uint8_t> pixels;

  /// Afterwards pixels.size() >= shape.size(); the content is unspecified.
  void reset(ImageShape new_shape) {
    shape = new_shape;
    if (pixels.size() < shape.size()) pixels.resize(shape.size());
  }
};

}  // namespace feedrate
