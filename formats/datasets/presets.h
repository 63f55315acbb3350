// SPDX-License-Identifier: Apache-2.0
// The table of synthetic datasets, a row each.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/opaque_record.h"
#include "formats/datasets/synthetic_image.h"

namespace feedrate {

enum class ImageEncoding { kPng, kJpeg };

struct ImageSize {
  int width = 0;
  int height = 0;
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

struct SizeShare {
  ImageSize size;
  unsigned percent;
};

struct Preset {
  std::string_view name;
  std::string_view description;
  ImageEncoding encoding = ImageEncoding::kPng;
  int quality = 0;  ///< of JPEG, 1 to 100
  std::span<const SizeShare> sizes = {};
  std::size_t classes = 0;           ///< maximum number
  std::size_t images_per_class = 1;  ///< a dataset of few images has fewer classes
  std::string (*class_name)(std::size_t label) = nullptr;
  SceneStyle style = {};
  std::optional<OpaqueRecords> opaque =
      std::nullopt;  ///< set: makes these records instead of images
};

[[nodiscard]] std::span<const Preset> presets();

/// Throws ConfigError, listing the known names, for any other name.
[[nodiscard]] const Preset& find_preset(std::string_view name);

}  // namespace feedrate
