// SPDX-License-Identifier: Apache-2.0
// Writes kinds of JPEG files that the product's encoder does not write.
#pragma once
#include <cstddef>
#include <vector>

#include "core/random.h"

namespace feedrate::jpeg {

struct Kind {
  const char* name;
  int horizontal;  ///< pixels per chroma column; 0 in a gray image
  int vertical;
  bool progressive = false;
  unsigned restart_rows = 0;  ///< rows of blocks between restart markers; 0: none
};

/// An image with hard edges everywhere, so that each pixel affects its neighbors.
[[nodiscard]] std::vector<std::byte> noise(int height, int width, const Kind& kind,
                                           RandomStream& random);

/// An image that gets brighter to the right and to the bottom.
[[nodiscard]] std::vector<std::byte> slope(int height, int width);

/// The file up to the end of its n-th scan, with an end marker.
[[nodiscard]] std::vector<std::byte> with_first_scans(const std::vector<std::byte>& file,
                                                      int scans);

}  // namespace feedrate::jpeg
