// SPDX-License-Identifier: Apache-2.0
// Noise with the spectrum of natural images. Pure functions of their random stream; any thread.
#pragma once
#include <cstddef>
#include <vector>

#include "core/random.h"

namespace feedrate {

/// One number per pixel, row by row.
struct Plane {
  int width = 0;
  int height = 0;
  std::vector<float> values;

  Plane(int plane_width, int plane_height, float value = 0.0F)
      : width(plane_width),
        height(plane_height),
        values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), value) {}

  [[nodiscard]] float* row(int y) noexcept {
    return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
  [[nodiscard]] const float* row(int y) const noexcept {
    return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

/// Nearly normal (the sum of four uniform numbers), mean 0, variance 1, much cheaper than
/// RandomStream::normal().
[[nodiscard]] float quick_normal(RandomStream& random) noexcept;

/// Noise of mean 0 and variance 1 whose amplitude spectrum falls as 1/f^slope: a sum of white noise
/// on grids of 1, 2, 4, … pixels, smoothly enlarged. In two dimensions, slope 1 gives every octave
/// the same variance. `finest` scales the octave of single pixels.
[[nodiscard]] Plane fractal_noise(int width, int height, double slope, double finest,
                                  RandomStream& random);

}  // namespace feedrate
