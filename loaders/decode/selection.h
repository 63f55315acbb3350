// SPDX-License-Identifier: Apache-2.0
// Parts of an image that a sample needs, and how its decoder gets them. Values; any thread.
#pragma once
#include <functional>

#include "core/image_shape.h"

namespace feedrate {

struct CropBox {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  friend bool operator==(const CropBox&, const CropBox&) = default;
};

[[nodiscard]] inline CropBox whole_of(const ImageShape& shape) {
  return {0, 0, shape.height, shape.width};
}

/// The first step after decoding: resizes `box` to height × width and drops all other pixels.
struct Selection {
  CropBox box;
  int height = 0;
  int width = 0;
};

/// Makes a selection when the image's shape is known. A lambda that captures one pointer is stored
/// without an allocation.
using Select = std::function<Selection(const ImageShape& whole)>;

/// How JPEG is decoded. PNG is always decoded as a whole.
enum class Decoding {
  kFast,     ///< only the selected part; pixels equal those of kLibrary
  kLibrary,  ///< the whole image
  kScaled,   ///< as kFast, but decodes at a smaller size if the result is smaller
};

}  // namespace feedrate
