// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "loaders/decode/pixel_limit.h"
#include "loaders/decode/weighted_sums.h"

namespace feedrate {
namespace {

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

std::int32_t to_fixed(double weight) {
  return static_cast<std::int32_t>(0.5 + weight * (1 << AxisFilter::kPrecisionBits));
}

AxisFilter::Pair pair_of(std::int32_t first, std::int32_t second) {
  constexpr std::int32_t kLowMask = (1 << AxisFilter::kLowBits) - 1;
  const auto high = [](std::int32_t weight) {
    return static_cast<std::int16_t>(weight >> AxisFilter::kLowBits);
  };
  const auto low = [](std::int32_t weight) { return static_cast<std::int16_t>(weight & kLowMask); };
  return {{high(first), high(second)}, {low(first), low(second)}};
}

void make_pairs(AxisFilter& filter) {
  filter.pairs.clear();
  for (std::size_t i = 0; i < filter.windows.size(); ++i) {
    const std::int32_t* const weights = filter.weights.data() + i * filter.taps;
    const auto weight = [&](std::size_t tap) { return tap < filter.taps ? weights[tap] : 0; };
    for (std::size_t tap = 0; tap < 2 * filter.pairs_each(); tap += 2) {
      filter.pairs.push_back(pair_of(weight(tap), weight(tap + 1)));
    }
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
  const double reach = std::max(scale, 1.0);  // Half the triangle's width, in input positions.
  const double inverse_reach = 1.0 / reach;
  taps = static_cast<std::size_t>(std::ceil(reach)) * 2 + 1;
  windows.resize(static_cast<std::size_t>(output_size));
  weights.assign(windows.size() * taps, 0);

  max_inputs = 0;
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
    max_inputs = std::max(max_inputs, last - first);
  }
  make_pairs(*this);
  input = input_size;
  output = output_size;
}

/// A row that may be read kReadPastEnd bytes past its end.
const std::uint8_t* Resampler::readable_row(const PixelView& source, int y) {
  const auto rows_below = static_cast<std::size_t>(source.height - 1 - y);
  if (rows_below * source.stride >= kReadPastEnd) return source.row(y);
  const std::size_t bytes = static_cast<std::size_t>(source.width) * 3;
  if (last_row_.size() < bytes + kReadPastEnd) last_row_.resize(bytes + kReadPastEnd);
  std::memcpy(last_row_.data(), source.row(y), bytes);
  return last_row_.data();
}

PixelView Resampler::stretch(const PixelView& source, int width) {
  if (width == source.width) return source;
  columns_.prepare(source.width, width);
  const std::size_t stride = static_cast<std::size_t>(width) * 3;
  const std::size_t needed = stride * static_cast<std::size_t>(source.height);
  if (stretched_.size() < needed) stretched_.resize(needed);
  for (int y = 0; y < source.height; ++y) {
    weigh_pixels(readable_row(source, y), columns_,
                 stretched_.data() + static_cast<std::size_t>(y) * stride);
  }
  return {stretched_.data(), stride, source.height, width};
}

void Resampler::resize(const PixelView& source, int height, int width, Image& result) {
  check_pixel_count("resized image", height, width);
  check_pixel_count("resized image", source.height, width);
  result.reset({height, width, 3});
  if (height == source.height && width == source.width) return copy_rows(source, result);
  const PixelView stretched = stretch(source, width);
  rows_.prepare(stretched.height, height);
  const std::size_t stride = static_cast<std::size_t>(width) * 3;
  for (std::size_t y = 0; y < rows_.windows.size(); ++y) {
    weigh_rows(stretched, rows_, y, result.pixels.data() + y * stride);
  }
}

}  // namespace feedrate
