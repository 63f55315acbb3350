// SPDX-License-Identifier: Apache-2.0
// What becomes of one image: cut, resized, cut again, flipped. Plain numbers, drawn where
// the image is loaded and read where it is transformed: in another process, or by a kernel, so
// C++17.
#pragma once
#include <cstdint>

namespace feedrate {

/// All in pixels. What is left at the end is height × width of a batch's images.
struct ImagePlan {
  std::int32_t height;  ///< of the image; 0: there is none, and the sample is zeros
  std::int32_t width;
  std::int32_t box_top;  ///< A box of it …
  std::int32_t box_left;
  std::int32_t box_height;
  std::int32_t box_width;
  std::int32_t resized_height;  ///< … is resized to this …
  std::int32_t resized_width;
  std::int32_t top;  ///< … of which the result begins here; outside of it are black pixels.
  std::int32_t left;
  std::int32_t flipped;  ///< 1: the result is, from left to right
};

}  // namespace feedrate
