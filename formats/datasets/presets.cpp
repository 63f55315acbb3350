// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/presets.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::array<SizeShare, 1> kCifarSizes{{{{32, 32}, 100}}};

// 500×375 is by far the most common size in ImageNet's training set. The other sizes and all shares
// are feedrate's choice, for variety.
constexpr std::array<SizeShare, 7> kImageNetSizes{{
    {{500, 375}, 60},
    {{375, 500}, 15},
    {{500, 333}, 10},
    {{333, 500}, 4},
    {{500, 500}, 3},
    {{400, 300}, 4},
    {{640, 480}, 4},
}};

// Alphabetical, because readers number folders in this order.
constexpr std::array<std::string_view, 10> kCifarClasses{
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

std::string cifar_class(std::size_t label) {
  if (label < kCifarClasses.size()) return std::string(kCifarClasses[label]);
  return fmt::format("vehicle{:05}", label);  // Sorts after "truck".
}

std::string imagenet_class(std::size_t label) { return fmt::format("n{:08}", label); }

constexpr std::array<Preset, 5> kPresets{{
    {.name = "cifar10-like",
     .description = "32×32 PNG of about 2.2 kB, 10 classes",
     .encoding = ImageEncoding::kPng,
     .quality = 90,
     .sizes = kCifarSizes,
     .classes = kCifarClasses.size(),
     .images_per_class = 1,
     .class_name = cifar_class,
     .style = {.texture = 8.0, .sharpness = 0.3, .grain = 0.3}},
    {.name = "imagenet-like",
     .description = "JPEG of quality 90 around 500×375 and 110 kB, up to 1000 classes",
     .encoding = ImageEncoding::kJpeg,
     .quality = 90,
     .sizes = kImageNetSizes,
     .classes = 1000,
     .images_per_class = 10,
     .class_name = imagenet_class,
     .style = {.texture = 50.0, .sharpness = 1.0, .grain = 1.5}},
    {.name = "bytes",
     .description = "opaque records of 64 KiB, for formats npz and tfrecord",
     .opaque = RecordSizes{.mean = std::size_t{1} << 16}},
    {.name = "tokens-like",
     .description = "sequences of int32 tokens like short documents, 8 to 2048 long, 370 on "
                    "average, for formats npz and tfrecord",
     .opaque =
         TokenSizes{.median = 250.0, .sigma = 0.9, .least = 8, .most = 2048, .vocabulary = 32000}},
    {.name = "points-like",
     .description = "point clouds like lidar scans, 100,000 points of float32 x, y and z (1.2 MB), "
                    "for formats npz and tfrecord",
     .opaque = CloudSize{.points = 100000}},
}};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset& find_preset(std::string_view name) {
  const auto found = std::find_if(kPresets.begin(), kPresets.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  if (found != kPresets.end()) return *found;
  std::string known;
  for (const Preset& preset : kPresets) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  }
  throw ConfigError(fmt::format("preset \"{}\": unknown preset; must be one of {}", name, known));
}

}  // namespace feedrate
