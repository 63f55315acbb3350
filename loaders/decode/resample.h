// SPDX-License-Identifier: Apache-2.0
// Pillow's antialiased bilinear resize of 8-bit RGB, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/decode/image.h"
#include "loaders/decode/selection.h"

namespace feedrate {

/// A rectangle of RGB pixels in somebody else's image.
struct PixelView {
  const std::uint8_t* pixels = nullptr;
  std::size_t stride = 0;  ///< bytes from one row to the next
  int height = 0;
  int width = 0;

  [[nodiscard]] const std::uint8_t* row(int y) const noexcept {
    return pixels + static_cast<std::size_t>(y) * stride;
  }
};

[[nodiscard]] PixelView view_of(const Image& image);

/// REQUIRES: the rectangle lies within the image.
[[nodiscard]] PixelView view_of(const Image& image, int top, int left, int height, int width);
[[nodiscard]] PixelView view_of(const Image& image, const CropBox& box);
/// Of pixels without gaps.
[[nodiscard]] PixelView view_of(const std::uint8_t* pixels, const ImageShape& shape,
                                const CropBox& box);

/// The filter along one axis. Output position i is the sum of `count` input positions from `first`
/// on, weighted with weights[i * taps ...]: fixed-point numbers that sum to one.
struct AxisFilter {
  /// The weights' fractional bits: 8 are left for the value and 2 for the sign and for a sum of
  /// weights that rounding brought above one, as in Pillow.
  static constexpr int kPrecisionBits = 32 - 8 - 2;
  static constexpr int kLowBits = kPrecisionBits / 2;

  struct Window {
    int first;
    int count;
  };
  /// Two weights, each taken apart: weight = high · 2^kLowBits + low.
  struct Pair {
    std::int16_t high[2];
    std::int16_t low[2];
  };
  int input = 0;
  int output = 0;
  std::size_t taps = 0;
  int most_inputs = 0;  ///< the largest count of a window
  std::vector<Window> windows;
  std::vector<std::int32_t> weights;
  std::vector<Pair> pairs;    ///< the same weights, pairs_each() for a window, and zeros
  std::vector<double> exact;  ///< one window's weights before rounding

  /// Does nothing where the sizes are those of the last call.
  void prepare(int input_size, int output_size);

  /// An even number: four weights are taken at once.
  [[nodiscard]] std::size_t pairs_each() const noexcept { return (taps + 3) / 4 * 2; }
};

/// Working memory of the resize, which keeps its size. One thread.
class Resampler {
 public:
  /// `result` must not own the pixels of `source`. Throws FormatError if it would be too large.
  void resize(const PixelView& source, int height, int width, Image& result);

 private:
  PixelView stretch(const PixelView& source, int width);
  const std::uint8_t* readable_row(const PixelView& source, int y);

  AxisFilter columns_;
  AxisFilter rows_;
  std::vector<std::uint8_t> stretched_;  ///< after the horizontal pass
  std::vector<std::uint8_t> last_row_;   ///< with bytes behind it
};

}  // namespace feedrate
