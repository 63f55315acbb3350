// SPDX-License-Identifier: Apache-2.0
// What a sample needs of an image, and how its decoder may get at it. Values; any thread.
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

/// The first step after decoding: `box` is resized to height × width, and nothing else is looked
/// at.
struct Selection {
  CropBox box;
  int height = 0;
  int width = 0;
};

/// Makes a selection once the shape of the image is known. A lambda that captures one pointer is
/// held without an allocation.
using Select = std::function<Selection(const ImageShape& whole)>;

/// How JPEG is decoded. PNG is always decoded whole.
enum class Decoding {
  kFast,     ///< of a JPEG only the part that is selected; the pixels of kLibrary
  kLibrary,  ///< the whole image
  kScaled,   ///< as kFast, but a JPEG that is going to be made smaller is decoded smaller
};

}  // namespace feedrate
