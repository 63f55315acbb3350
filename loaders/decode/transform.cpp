// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "loaders/decode/pixel_limit.h"

namespace feedrate {
namespace {

/// Python's round(): ties to even.
int round_to_int(double value) { return static_cast<int>(std::nearbyint(value)); }

ImageShape shape_after(const RandomResizedCrop& crop, ImageShape /*input*/) {
  return {crop.height, crop.width, 3};
}

ImageShape shape_after(const Resize& resize, ImageShape input) {
  if (resize.width) return {resize.height, *resize.width, 3};
  const auto [shorter, longer] = std::minmax(input.height, input.width);
  const std::int64_t product = std::int64_t{resize.height} * longer;
  const auto follows = static_cast<std::int64_t>(static_cast<double>(product) / shorter);
  check_pixel_count("resized image", resize.height, follows);
  const int other = static_cast<int>(follows);
  return input.width <= input.height ? ImageShape{other, resize.height, 3}
                                     : ImageShape{resize.height, other, 3};
}

ImageShape shape_after(const CenterCrop& crop, ImageShape /*input*/) {
  return {crop.height, crop.width, 3};
}

ImageShape shape_after(const RandomHorizontalFlip& /*flip*/, ImageShape input) { return input; }

void resize_selection(const Selection& wanted, Image& image, TransformScratch& scratch) {
  resize_part(view_of(image, wanted.box), wanted.height, wanted.width, image, scratch);
}

Selection select_from(const RandomResizedCrop& crop, const ImageShape& whole,
                      RandomStream& random) {
  return {random_crop_box(crop, whole, random), crop.height, crop.width};
}

Selection select_from(const Resize& wanted, const ImageShape& whole, RandomStream& /*random*/) {
  const ImageShape result = shape_after(wanted, whole);
  return {whole_of(whole), result.height, result.width};
}

void run(const RandomResizedCrop& crop, Image& image, TransformScratch& scratch,
         RandomStream& random) {
  resize_selection(select_from(crop, image.shape, random), image, scratch);
}

void run(const Resize& wanted, Image& image, TransformScratch& scratch, RandomStream& random) {
  resize_selection(select_from(wanted, image.shape, random), image, scratch);
}

/// The position of a centered span of `target` pixels on an axis of `source` pixels.
struct CenteredSpan {
  int skip;   ///< source pixels dropped in front
  int pad;    ///< zeros added in front
  int count;  ///< pixels kept
};

CenteredSpan center(int source, int target) {
  const int offset = center_offset(source, target);
  if (target > source) return {0, -offset, source};
  return {offset, 0, target};
}

void run(const CenterCrop& crop, Image& image, TransformScratch& scratch,
         RandomStream& /*random*/) {
  const ImageShape result{crop.height, crop.width, 3};
  if (result == image.shape) return;
  check_pixel_count("cropped image", result.height, result.width);
  const CenteredSpan rows = center(image.shape.height, result.height);
  const CenteredSpan columns = center(image.shape.width, result.width);
  const PixelView kept = view_of(image, rows.skip, columns.skip, rows.count, columns.count);

  Image& target = scratch.image;
  target.reset(result);
  if (rows.count < result.height || columns.count < result.width) {
    std::fill_n(target.pixels.begin(), result.size(), std::uint8_t{0});
  }
  const std::size_t first = static_cast<std::size_t>(columns.pad) * 3;
  const std::size_t bytes = static_cast<std::size_t>(columns.count) * 3;
  const std::size_t stride = static_cast<std::size_t>(result.width) * 3;
  for (int y = 0; y < rows.count; ++y) {
    const auto row = static_cast<std::size_t>(rows.pad + y);
    std::memcpy(target.pixels.data() + row * stride + first, kept.row(y), bytes);
  }
  std::swap(image, target);
}

void run(const RandomHorizontalFlip& flip, Image& image, TransformScratch& /*scratch*/,
         RandomStream& random) {
  if (random.uniform() >= flip.p) return;
  const std::size_t stride = static_cast<std::size_t>(image.shape.width) * 3;
  for (int y = 0; y < image.shape.height; ++y) {
    std::uint8_t* left = image.pixels.data() + static_cast<std::size_t>(y) * stride;
    std::uint8_t* right = left + stride - 3;
    for (; left < right; left += 3, right -= 3) std::swap_ranges(left, left + 3, right);
  }
}

}  // namespace

CropBox random_crop_box(const RandomResizedCrop& transform, const ImageShape& shape,
                        RandomStream& random) {
  const auto [height, width, channels] = shape;
  const auto [narrowest, widest] = transform.ratio;
  const double area = static_cast<double>(height) * width;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(transform.scale[0], transform.scale[1]);
    const double aspect = std::exp(random.uniform(std::log(narrowest), std::log(widest)));
    const double w = std::nearbyint(std::sqrt(target * aspect));
    const double h = std::nearbyint(std::sqrt(target / aspect));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    CropBox box{0, 0, static_cast<int>(h), static_cast<int>(w)};
    box.top = static_cast<int>(random.below(static_cast<std::uint64_t>(height - box.height) + 1));
    box.left = static_cast<int>(random.below(static_cast<std::uint64_t>(width - box.width) + 1));
    return box;
  }

  CropBox box{0, 0, height, width};
  const double ratio = static_cast<double>(width) / height;
  // Keep at least one pixel; torchvision fails on an empty crop.
  if (ratio < narrowest) box.height = std::max(1, round_to_int(width / narrowest));
  if (ratio > widest) box.width = std::max(1, round_to_int(height * widest));
  box.top = (height - box.height) / 2;
  box.left = (width - box.width) / 2;
  return box;
}

int center_offset(int source, int target) {
  if (target > source) return -((target - source) / 2);
  return round_to_int((source - target) / 2.0);
}

bool selects(const ImageTransform& transform) noexcept {
  return std::holds_alternative<RandomResizedCrop>(transform) ||
         std::holds_alternative<Resize>(transform);
}

Selection select(const ImageTransform& transform, const ImageShape& whole, RandomStream& random) {
  if (const auto* crop = std::get_if<RandomResizedCrop>(&transform)) {
    return select_from(*crop, whole, random);
  }
  return select_from(std::get<Resize>(transform), whole, random);
}

void resize_part(const PixelView& part, int height, int width, Image& image,
                 TransformScratch& scratch) {
  const bool is_all =
      part.pixels == image.pixels.data() && image.shape == ImageShape{part.height, part.width, 3};
  if (is_all && part.height == height && part.width == width) return;
  // The view excludes pixels outside the part, so the filter uses none of them.
  scratch.resampler.resize(part, height, width, scratch.image);
  std::swap(image, scratch.image);
}

std::size_t bytes_of(SampleDtype dtype) noexcept {
  switch (dtype) {
    case SampleDtype::kFloat32:
      return 4;
    case SampleDtype::kFloat16:
      return 2;
    case SampleDtype::kUint8:
    case SampleDtype::kPixels:
      break;
  }
  return 1;
}

void apply(const ImageTransform& transform, Image& image, TransformScratch& scratch,
           RandomStream& random) {
  std::visit([&](const auto& chosen) { run(chosen, image, scratch, random); }, transform);
}

ImageShape output_shape(const PipelineSpec& spec, ImageShape input) {
  ImageShape shape{input.height, input.width, 3};
  for (const ImageTransform& transform : spec.transforms) {
    shape = std::visit([&](const auto& chosen) { return shape_after(chosen, shape); }, transform);
  }
  return shape;
}

}  // namespace feedrate
