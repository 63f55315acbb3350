// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/noise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace feedrate {
namespace {

/// Pixels 2i and 2i+1 of a line are a quarter of a cell left and right of the center of cell i.
struct Neighbors {
  int near;
  int far;
};

Neighbors neighbors(int position, int cells) noexcept {
  const int near = position / 2;
  const int far = position % 2 == 0 ? near - 1 : near + 1;
  return {near, std::clamp(far, 0, cells - 1)};
}

/// Doubles the size by the subdivision rule of quadratic B-splines: repeated, the result is smooth.
Plane enlarge(const Plane& coarse, int width, int height) {
  Plane fine(width, height);
  std::vector<float> mixed(static_cast<std::size_t>(coarse.width));
  for (int y = 0; y < height; ++y) {
    const Neighbors rows = neighbors(y, coarse.height);
    const float* near = coarse.row(rows.near);
    const float* far = coarse.row(rows.far);
    for (std::size_t x = 0; x < mixed.size(); ++x) mixed[x] = 0.75F * near[x] + 0.25F * far[x];
    float* out = fine.row(y);
    for (int x = 0; x < width; ++x) {
      const Neighbors columns = neighbors(x, coarse.width);
      out[x] = 0.75F * mixed[static_cast<std::size_t>(columns.near)] +
               0.25F * mixed[static_cast<std::size_t>(columns.far)];
    }
  }
  return fine;
}

Plane octaves_from(int cell, int width, int height, double slope, RandomStream& random,
                   double finest) {
  const bool last = std::max(width, height) <= 2;
  Plane plane = last ? Plane(width, height)
                     : enlarge(octaves_from(cell * 2, (width + 1) / 2, (height + 1) / 2, slope,
                                            random, finest),
                               width, height);
  const auto gain =
      static_cast<float>(cell == 1 ? finest : std::pow(static_cast<double>(cell), slope - 1.0));
  for (float& value : plane.values) value += gain * quick_normal(random);
  return plane;
}

void normalize(Plane& plane) {
  double sum = 0.0;
  double squares = 0.0;
  for (const float value : plane.values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(plane.values.size());
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
  for (float& value : plane.values) {
    value = static_cast<float>((static_cast<double>(value) - mean) / deviation);
  }
}

}  // namespace

float quick_normal(RandomStream& random) noexcept {
  const std::uint64_t bits = random.next();
  const auto sum = static_cast<float>((bits & 0xFFFF) + ((bits >> 16) & 0xFFFF) +
                                      ((bits >> 32) & 0xFFFF) + (bits >> 48));
  constexpr float kMean = 2.0F * 65535.0F;
  constexpr float kScale = 1.7320508F / 65536.0F;  // four uniform numbers have variance 1/3
  return (sum - kMean) * kScale;
}

Plane fractal_noise(int width, int height, double slope, double finest, RandomStream& random) {
  Plane plane = octaves_from(1, width, height, slope, random, finest);
  normalize(plane);
  return plane;
}

}  // namespace feedrate
