// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/payload.h"
#include "loaders/decode/pixel_limit.h"
#include "loaders/decode/transform.h"

namespace feedrate {
namespace {

void check_size(const char* key, std::int64_t height, std::int64_t width) {
  if (height > 0 && width > 0 && height <= kMaxPixels / width) return;
  throw ConfigError(
      fmt::format("pipeline.transforms: {} to {} rows and {} columns; both must be at "
                  "least 1 and their product at most {}",
                  key, height, width, kMaxPixels));
}

void check_range(const char* key, const std::array<double, 2>& range) {
  const auto [low, high] = range;
  if (low > 0 && low <= high && std::isfinite(high)) return;
  throw ConfigError(
      fmt::format("pipeline.transforms: random_resized_crop.{} is [{}, {}]; must be two positive "
                  "numbers, the smaller first",
                  key, low, high));
}

void check_one(const RandomResizedCrop& crop) {
  check_size("random_resized_crop", crop.height, crop.width);
  check_range("scale", crop.scale);
  check_range("ratio", crop.ratio);
}

void check_one(const Resize& resize) {
  check_size("resize", resize.height, resize.width.value_or(1));
}

void check_one(const CenterCrop& crop) { check_size("center_crop", crop.height, crop.width); }

void check_one(const RandomHorizontalFlip& flip) {
  if (flip.p >= 0 && flip.p <= 1) return;
  throw ConfigError(fmt::format(
      "pipeline.transforms: random_horizontal_flip.p is {}; must be between 0 and 1", flip.p));
}

void check_normalize(const Normalize& normalize, SampleDtype dtype) {
  if (dtype != SampleDtype::kFloat32 && dtype != SampleDtype::kFloat16) {
    throw ConfigError("pipeline.normalize: needs dtype float32, not uint8");
  }
  for (const float std : normalize.std) {
    if (std != 0 && std::isfinite(std)) continue;
    throw ConfigError(fmt::format("pipeline.normalize: std is {}; must not be 0", std));
  }
}

// Checks a step whose input is not an image; `size` counts units of `unit` bytes.
void check_opaque_step(const char* step, std::size_t size, std::size_t unit,
                       const PipelineSpec& spec) {
  const std::size_t max = kMaxRecordBytes / unit;
  if (size < 1 || size > max) {
    throw ConfigError(
        fmt::format("pipeline.transforms: {} is {}; must be between 1 and {}", step, size, max));
  }
  const int steps =
      (spec.resize_bytes ? 1 : 0) + (spec.tokens ? 1 : 0) + (spec.sample_points ? 1 : 0);
  const bool has_others = !spec.transforms.empty() || spec.normalize || steps > 1;
  if (has_others || spec.dtype != SampleDtype::kUint8) {
    throw ConfigError(fmt::format(
        "pipeline.transforms: {} must be the only transform; its input is not an image", step));
  }
}

}  // namespace

void check(const PipelineSpec& spec) {
  for (const ImageTransform& transform : spec.transforms) {
    std::visit([](const auto& chosen) { check_one(chosen); }, transform);
  }
  if (spec.normalize) check_normalize(*spec.normalize, spec.dtype);
  if (spec.resize_bytes) check_opaque_step("resize_bytes", *spec.resize_bytes, 1, spec);
  if (spec.tokens) check_opaque_step("tokens", spec.tokens->max_length, kTokenBytes, spec);
  if (spec.sample_points) {
    check_opaque_step("sample_points", *spec.sample_points, kPointBytes, spec);
  }
}

}  // namespace feedrate
