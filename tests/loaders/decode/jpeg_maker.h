// SPDX-License-Identifier: Apache-2.0
// Writes JPEG files of kinds that the encoder does not write.
#pragma once
#include <cstddef>
#include <vector>

#include "core/random.h"

namespace feedrate::jpeg {

struct Kind {
  const char* name;
  int horizontal;  ///< pixels to a column of colour; 0 in a grey image
  int vertical;
  bool progressive = false;
  unsigned restart_rows = 0;  ///< rows of blocks from one restart marker to the next; 0: none
};

/// Hard edges everywhere, so that each pixel says something about its neighbours.
[[nodiscard]] std::vector<std::byte> noise(int height, int width, const Kind& kind,
                                           RandomStream& random);

/// One brighter with each pixel to the right and to the bottom.
[[nodiscard]] std::vector<std::byte> slope(int height, int width);

/// The file up to the end of its n-th scan, properly ended.
[[nodiscard]] std::vector<std::byte> with_first_scans(const std::vector<std::byte>& file,
                                                      int scans);

}  // namespace feedrate::jpeg
