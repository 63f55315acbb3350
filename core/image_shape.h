// SPDX-License-Identifier: Apache-2.0
// The shape of one image of 8-bit pixels in memory: rows, then columns, then channels (HWC).
#pragma once
#include <cstddef>

namespace feedrate {

struct ImageShape {
  int height = 0;
  int width = 0;
  int channels = 0;

  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
           static_cast<std::size_t>(channels);
  }
  friend constexpr bool operator==(const ImageShape&, const ImageShape&) = default;
};

}  // namespace feedrate
