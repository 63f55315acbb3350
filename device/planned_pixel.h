// SPDX-License-Identifier: Apache-2.0
// Computes one pixel of a transformed image: the antialiased bilinear filter of Pillow and
// torchvision, a triangle as wide as the scale, applied to the box alone. The CUDA kernel and the
// simulated device share this code, so it is C++17 without libraries.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/image_plan.h"

#ifdef __CUDACC__
#define FEEDRATE_ON_BOTH __host__ __device__
#else
#define FEEDRATE_ON_BOTH
#endif

namespace feedrate {

/// Input positions from `first` to before `end` contribute to one output position of an axis.
struct FilterWindow {
  int first;
  int end;
  float center;
  float slope;  // One over the filter's half width.

  FEEDRATE_ON_BOTH FilterWindow(int output, int input_size, int output_size) {
    const float scale = static_cast<float>(input_size) / static_cast<float>(output_size);
    const float half = scale > 1 ? scale : 1.0f;
    center = (static_cast<float>(output) + 0.5f) * scale;
    slope = 1.0f / half;
    first = static_cast<int>(center - half + 0.5f);
    end = static_cast<int>(center + half + 0.5f);
    if (first < 0) first = 0;
    if (end > input_size) end = input_size;
  }
  [[nodiscard]] FEEDRATE_ON_BOTH float weight(int input) const {
    const float distance = (static_cast<float>(input) - center + 0.5f) * slope;
    const float weight = 1.0f - (distance < 0 ? -distance : distance);
    return weight > 0 ? weight : 0.0f;
  }
};

/// Computes the three bytes at row `y` and column `x` of the result, which is `width` pixels wide.
/// `image` is RGB, HWC, without gaps, of plan.height × plan.width pixels.
FEEDRATE_ON_BOTH inline void make_planned_pixel(const std::uint8_t* image, const ImagePlan& plan,
                                                int width, int y, int x, std::uint8_t* pixel) {
  pixel[0] = pixel[1] = pixel[2] = 0;
  const int row = plan.top + y;
  const int column = plan.left + (plan.flipped != 0 ? width - 1 - x : x);
  if (row < 0 || row >= plan.resized_height) return;
  if (column < 0 || column >= plan.resized_width) return;
  const FilterWindow rows(row, plan.box_height, plan.resized_height);
  const FilterWindow columns(column, plan.box_width, plan.resized_width);
  float sums[3] = {0, 0, 0};
  float all = 0;
  for (int i = rows.first; i < rows.end; ++i) {
    const float weight_of_row = rows.weight(i);
    const std::uint8_t* source =
        image + (static_cast<std::size_t>(plan.box_top + i) * static_cast<std::size_t>(plan.width) +
                 static_cast<std::size_t>(plan.box_left + columns.first)) *
                    3;
    for (int j = columns.first; j < columns.end; ++j, source += 3) {
      const float weight = weight_of_row * columns.weight(j);
      all += weight;
      for (int c = 0; c < 3; ++c) sums[c] += weight * static_cast<float>(source[c]);
    }
  }
  for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>(sums[c] / all + 0.5f);
}

}  // namespace feedrate
