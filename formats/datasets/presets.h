// SPDX-License-Identifier: Apache-2.0
// The one table of synthetic datasets: what each resembles. A new one is a row here.
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

/// One of the sizes of a dataset's images, and how common it is.
struct SizeShare {
  ImageSize size;
  unsigned percent;
};

struct Preset {
  std::string_view name;
  std::string_view description;
  ImageEncoding encoding = ImageEncoding::kPng;
  int quality = 0;  ///< of JPEG
  std::span<const SizeShare> sizes = {};
  std::size_t classes = 0;           ///< at most
  std::size_t images_per_class = 1;  ///< at least, where there are fewer images than that needs
  std::string (*class_name)(std::size_t label) = nullptr;
  SceneStyle style = {};
  std::optional<OpaqueRecords> opaque = std::nullopt;  ///< what it then makes instead of images
};

[[nodiscard]] std::span<const Preset> presets();

/// Throws ConfigError listing the known names.
[[nodiscard]] const Preset& find_preset(std::string_view name);

}  // namespace feedrate
