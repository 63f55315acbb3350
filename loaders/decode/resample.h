// SPDX-License-Identifier: Apache-2.0
// Pillow's antialiased bilinear resize of 8-bit RGB, bit for bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/decode/image.h"
#include "loaders/decode/selection.h"

namespace feedrate {

/// A rectangle of RGB pixels in memory that it does not own.
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

/// REQUIRES: the rectangle is within the image
[[nodiscard]] PixelView view_of(const Image& image, int top, int left, int height, int width);
[[nodiscard]] PixelView view_of(const Image& image, const CropBox& box);
/// REQUIRES: the rows of `pixels` have no padding
[[nodiscard]] PixelView view_of(const std::uint8_t* pixels, const ImageShape& shape,
                                const CropBox& box);

/// The filter along one axis. Output position i is the sum of `count` input positions from `first`
/// on, weighted with weights[i * taps ...], which are fixed-point numbers with sum one.
struct AxisFilter {
  /// Fractional bits of a weight, as in Pillow: 8 bits are for the value, 2 for the sign and for a
  /// sum of weights that exceeds one by rounding.
  static constexpr int kPrecisionBits = 32 - 8 - 2;
  static constexpr int kLowBits = kPrecisionBits / 2;

  struct Window {
    int first;
    int count;
  };
  /// Two weights, each split: weight = high · 2^kLowBits + low.
  struct Pair {
    std::int16_t high[2];
    std::int16_t low[2];
  };
  int input = 0;
  int output = 0;
  std::size_t taps = 0;
  int max_inputs = 0;  ///< the largest window
  std::vector<Window> windows;
  std::vector<std::int32_t> weights;
  std::vector<Pair> pairs;    ///< the same weights, zero-padded to pairs_each() per window
  std::vector<double> exact;  ///< one window's weights before rounding

  /// Does nothing if the sizes equal those of the last call.
  void prepare(int input_size, int output_size);

  /// An even number, since SIMD code uses four weights at once.
  [[nodiscard]] std::size_t pairs_each() const noexcept { return (taps + 3) / 4 * 2; }
};

/// Resizes images; keeps its working memory. One thread.
class Resampler {
 public:
  /// `result` must not own the pixels of `source`. Throws FormatError if `result` would be too
  /// large.
  void resize(const PixelView& source, int height, int width, Image& result);

 private:
  PixelView stretch(const PixelView& source, int width);
  const std::uint8_t* readable_row(const PixelView& source, int y);

  AxisFilter columns_;
  AxisFilter rows_;
  std::vector<std::uint8_t> stretched_;  ///< result of the horizontal pass
  std::vector<std::uint8_t> last_row_;   ///< the last row and kReadPastEnd more bytes
};

}  // namespace feedrate
