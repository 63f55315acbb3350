// SPDX-License-Identifier: Apache-2.0
// The transform of one image: crop, resize, crop again, flip. Drawn where the image is loaded; read
// where it is transformed: in another process, or in a CUDA kernel, hence C++17.
#pragma once
#include <cstdint>

namespace feedrate {

/// All sizes are in pixels. The result has the height × width of a batch's images.
struct ImagePlan {
  std::int32_t height;  ///< of the image; 0 means no image: the sample is zeros
  std::int32_t width;
  std::int32_t box_top;  ///< This box is cropped from the image …
  std::int32_t box_left;
  std::int32_t box_height;
  std::int32_t box_width;
  std::int32_t resized_height;  ///< … and resized to this size.
  std::int32_t resized_width;
  std::int32_t top;  ///< The result begins here in the resized box; outside of it pixels are black.
  std::int32_t left;
  std::int32_t flipped;  ///< 1: the result is mirrored horizontally
};

}  // namespace feedrate
