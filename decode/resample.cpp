#include "decode/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decode/pixel_limit.h"

namespace feedrate {
namespace {

// The weights' fractional bits: 8 are left for the value and 2 for the sign and for a sum of
// weights that rounding brought above one, as in Pillow.
constexpr int kPrecisionBits = 32 - 8 - 2;
constexpr std::int32_t kHalf = 1 << (kPrecisionBits - 1);

std::uint8_t to_byte(std::int32_t sum) {
  // No weight is negative, so only the upper end can be passed.
  return static_cast<std::uint8_t>(std::min(sum >> kPrecisionBits, 255));
}

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

std::int32_t to_fixed(double weight) {
  return static_cast<std::int32_t>(0.5 + weight * (1 << kPrecisionBits));
}

void stretch_row(const std::uint8_t* source, const AxisFilter& filter, std::uint8_t* target) {
  const std::int32_t* weights = filter.weights.data();
  for (const AxisFilter::Window& window : filter.windows) {
    const std::uint8_t* pixel = source + static_cast<std::size_t>(window.first) * 3;
    std::int32_t red = kHalf;
    std::int32_t green = kHalf;
    std::int32_t blue = kHalf;
    for (int i = 0; i < window.count; ++i, pixel += 3) {
      red += pixel[0] * weights[i];
      green += pixel[1] * weights[i];
      blue += pixel[2] * weights[i];
    }
    *target++ = to_byte(red);
    *target++ = to_byte(green);
    *target++ = to_byte(blue);
    weights += filter.taps;
  }
}

/// Row by row, so that the inner loops run along memory and over all channels alike.
void stretch_columns(const PixelView& source, const AxisFilter& filter,
                     std::vector<std::int32_t>& sums, std::uint8_t* target) {
  const std::size_t values = static_cast<std::size_t>(source.width) * 3;
  sums.resize(values);
  const std::int32_t* weights = filter.weights.data();
  for (const AxisFilter::Window& window : filter.windows) {
    std::fill(sums.begin(), sums.end(), kHalf);
    for (int i = 0; i < window.count; ++i) {
      const std::uint8_t* const row = source.row(window.first + i);
      const std::int32_t weight = weights[i];
      for (std::size_t x = 0; x < values; ++x) sums[x] += row[x] * weight;
    }
    for (std::size_t x = 0; x < values; ++x) target[x] = to_byte(sums[x]);
    target += values;
    weights += filter.taps;
  }
}

void copy_rows(const PixelView& source, Image& result) {
  const std::size_t bytes = static_cast<std::size_t>(source.width) * 3;
  std::uint8_t* target = result.pixels.data();
  for (int y = 0; y < source.height; ++y, target += bytes)
    std::memcpy(target, source.row(y), bytes);
}

}  // namespace

PixelView view_of(const Image& image) {
  return view_of(image, 0, 0, image.shape.height, image.shape.width);
}

PixelView view_of(const Image& image, int top, int left, int height, int width) {
  return view_of(image, {top, left, height, width});
}

PixelView view_of(const Image& image, const CropBox& box) {
  return view_of(image.pixels.data(), image.shape, box);
}

PixelView view_of(const std::uint8_t* pixels, const ImageShape& shape, const CropBox& box) {
  const std::size_t stride = static_cast<std::size_t>(shape.width) * 3;
  const std::size_t first =
      static_cast<std::size_t>(box.top) * stride + static_cast<std::size_t>(box.left) * 3;
  return {pixels + first, stride, box.height, box.width};
}

void AxisFilter::prepare(int input_size, int output_size) {
  if (input_size == input && output_size == output) return;
  const double scale = static_cast<double>(input_size) / output_size;
  const double reach = std::max(scale, 1.0);  // Of the triangle, in input positions.
  const double inverse_reach = 1.0 / reach;
  taps = static_cast<std::size_t>(std::ceil(reach)) * 2 + 1;
  windows.resize(static_cast<std::size_t>(output_size));
  weights.assign(windows.size() * taps, 0);

  exact.resize(taps);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const int first = std::max(static_cast<int>(center - reach + 0.5), 0);
    const int last = std::min(static_cast<int>(center + reach + 0.5), input_size);
    const auto count = static_cast<std::size_t>(last - first);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      exact[k] = triangle((static_cast<double>(k) + first - center + 0.5) * inverse_reach);
      sum += exact[k];
    }
    for (std::size_t k = 0; k < count; ++k) weights[i * taps + k] = to_fixed(exact[k] / sum);
    windows[i] = {first, last - first};
  }
  input = input_size;
  output = output_size;
}

void Resampler::resize(const PixelView& source, int height, int width, Image& result) {
  check_pixel_count("resized image", height, width);
  check_pixel_count("resized image", source.height, width);
  result.reset({height, width, 3});
  if (height == source.height && width == source.width) return copy_rows(source, result);
  PixelView stretched = source;
  if (width != source.width) {
    columns_.prepare(source.width, width);
    const std::size_t stride = static_cast<std::size_t>(width) * 3;
    const std::size_t needed = stride * static_cast<std::size_t>(source.height);
    if (stretched_.size() < needed) stretched_.resize(needed);
    for (int y = 0; y < source.height; ++y) {
      stretch_row(source.row(y), columns_,
                  stretched_.data() + static_cast<std::size_t>(y) * stride);
    }
    stretched = {stretched_.data(), stride, source.height, width};
  }
  rows_.prepare(stretched.height, height);
  stretch_columns(stretched, rows_, sums_, result.pixels.data());
}

}  // namespace feedrate
