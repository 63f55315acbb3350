// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include <fmt/format.h>

#include "bench/plan/config_sections.h"
#include "bench/plan/values.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

int side(const ConfigNode& node, std::string_view key) {
  return static_cast<int>(integer_value(node, key, 1, kLargestSide));
}

struct Size {
  int height;
  std::optional<int> width;
};

Size parse_size(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::kList) return {side(node, key), std::nullopt};
  if (node.items.size() != 2) throw config_error(node, key, "must be a size or [height, width]");
  return {side(node.items[0], key), side(node.items[1], key)};
}

// A transform's only option may replace the map: `resize: 256` for `resize: {size: 256}`.
const ConfigNode& option_node(const ConfigNode& options, std::string_view name,
                              std::string_view key) {
  if (options.kind != ConfigNode::Kind::kMap) return options;
  const ConfigNode* option = options.find(key);
  if (!option) throw config_error(options, name, fmt::format("needs a {}", key));
  return *option;
}

const ConfigNode& size_node(const ConfigNode& options, std::string_view name) {
  return option_node(options, name, "size");
}

std::array<double, 2> parse_range(const ConfigNode& options, const char* key,
                                  std::array<double, 2> fallback) {
  const ConfigNode* node = options.find(key);
  if (!node) return fallback;
  const std::vector<double> range = number_list(*node, key, 2, 1e-6, 1e6);
  if (range[0] > range[1]) throw config_error(*node, key, "must be [smallest, largest]");
  return {range[0], range[1]};
}

ImageTransform parse_random_resized_crop(const ConfigNode& options) {
  RandomResizedCrop crop;
  if (options.kind == ConfigNode::Kind::kMap) {
    check_keys(options, "random_resized_crop", {"size", "scale", "ratio"});
  }
  const Size size = parse_size(size_node(options, "random_resized_crop"), "random_resized_crop");
  crop.height = size.height;
  crop.width = size.width.value_or(size.height);
  crop.scale = parse_range(options, "scale", crop.scale);
  crop.ratio = parse_range(options, "ratio", crop.ratio);
  return crop;
}

ImageTransform parse_resize(const ConfigNode& options) {
  if (options.kind == ConfigNode::Kind::kMap) check_keys(options, "resize", {"size"});
  const Size size = parse_size(size_node(options, "resize"), "resize");
  return Resize{size.height, size.width};
}

ImageTransform parse_center_crop(const ConfigNode& options) {
  if (options.kind == ConfigNode::Kind::kMap) check_keys(options, "center_crop", {"size"});
  const Size size = parse_size(size_node(options, "center_crop"), "center_crop");
  return CenterCrop{size.height, size.width.value_or(size.height)};
}

ImageTransform parse_flip(const ConfigNode& options) {
  if (options.kind == ConfigNode::Kind::kNothing) return RandomHorizontalFlip{};
  if (options.kind != ConfigNode::Kind::kMap) {
    return RandomHorizontalFlip{number_value(options, "horizontal_flip", 0.0, 1.0)};
  }
  check_keys(options, "horizontal_flip", {"p"});
  const ConfigNode* p = options.find("p");
  return RandomHorizontalFlip{p ? number_value(*p, "p", 0.0, 1.0) : 0.5};
}

Normalize parse_normalize(const ConfigNode& options) {
  check_keys(options, "normalize", {"mean", "std"});
  Normalize normalize;
  const auto read = [&](const char* key, std::array<float, 3>& target, double least) {
    const ConfigNode* node = options.find(key);
    if (!node) throw config_error(options, "normalize", fmt::format("needs {}", key));
    const std::vector<double> values = number_list(*node, key, 3, least, 1e6);
    for (std::size_t i = 0; i < 3; ++i) target[i] = static_cast<float>(values[i]);
  };
  read("mean", normalize.mean, -1e6);
  read("std", normalize.std, 1e-9);
  return normalize;
}

std::size_t parse_count(const ConfigNode& node, std::string_view key, std::size_t unit) {
  const auto most = static_cast<std::int64_t>(kMaxRecordBytes / unit);
  return static_cast<std::size_t>(integer_value(node, key, 1, most));
}

void parse_resize_bytes(const ConfigNode& options, PipelineSpec& spec) {
  spec.resize_bytes = parse_count(options, "resize_bytes", 1);
}

void parse_tokens(const ConfigNode& options, PipelineSpec& spec) {
  if (options.kind == ConfigNode::Kind::kMap) check_keys(options, "tokens", {"max_length"});
  const ConfigNode& length = option_node(options, "tokens", "max_length");
  spec.tokens = TokenSequences{.max_length = parse_count(length, "tokens", kTokenBytes)};
}

void parse_sample_points(const ConfigNode& options, PipelineSpec& spec) {
  spec.sample_points = parse_count(options, "sample_points", kPointBytes);
}

// A transform of records that are not images; it must be the only one.
struct OpaqueParser {
  std::string_view name;
  void (*parse)(const ConfigNode& options, PipelineSpec& spec);
};

constexpr std::array<OpaqueParser, 3> kOpaque{{
    {"resize_bytes", parse_resize_bytes},
    {"tokens", parse_tokens},
    {"sample_points", parse_sample_points},
}};

struct ImageTransformParser {
  std::string_view name;
  ImageTransform (*parse)(const ConfigNode& options);
};

constexpr std::array<ImageTransformParser, 4> kImageTransforms{{
    {"random_resized_crop", parse_random_resized_crop},
    {"resize", parse_resize},
    {"center_crop", parse_center_crop},
    {"horizontal_flip", parse_flip},
}};

constexpr std::string_view kKnown =
    "random_resized_crop, resize, center_crop, horizontal_flip, to_tensor, pil_to_tensor, "
    "normalize; or one of resize_bytes, tokens, sample_points";

class PipelineParser {
 public:
  void add(const std::string& name, const ConfigNode& options) {
    if (!opaque_.empty()) {
      throw config_error(
          options, name,
          fmt::format("cannot be combined with {}, which does not take images", opaque_));
    }
    for (const OpaqueParser& known : kOpaque) {
      if (known.name == name) return take_opaque(known, options);
    }
    for (const ImageTransformParser& known : kImageTransforms) {
      if (known.name != name) continue;
      if (has_tensor_) throw config_error(options, name, "must come before to_tensor");
      spec_.transforms.push_back(known.parse(options));
      return;
    }
    add_tensor_step(name, options);
  }

  // Without a tensor step, to_tensor applies.
  const PipelineSpec& spec() const { return spec_; }

 private:
  void take_opaque(const OpaqueParser& known, const ConfigNode& options) {
    if (has_tensor_ || !spec_.transforms.empty()) {
      throw config_error(options, known.name,
                         "must be the only transform; its input is not an image");
    }
    known.parse(options, spec_);
    spec_.dtype = SampleDtype::kUint8;
    opaque_ = known.name;
  }

  void add_tensor_step(const std::string& name, const ConfigNode& options) {
    if (name == "to_tensor" || name == "pil_to_tensor") {
      if (has_tensor_) throw config_error(options, name, "the sample is already a tensor");
      if (options.kind != ConfigNode::Kind::kNothing) {
        throw config_error(options, name, "takes no options");
      }
      has_tensor_ = true;
      spec_.dtype = name == "to_tensor" ? SampleDtype::kFloat32 : SampleDtype::kUint8;
    } else if (name == "normalize") {
      if (!has_tensor_ || spec_.dtype != SampleDtype::kFloat32 || spec_.normalize) {
        throw config_error(options, name, "must be used once, after to_tensor");
      }
      spec_.normalize = parse_normalize(options);
    } else {
      throw config_error(options, name,
                         fmt::format("unknown transform; must be one of {}", kKnown));
    }
  }

  PipelineSpec spec_;
  bool has_tensor_ = false;
  std::string_view opaque_;
};

}  // namespace

PipelineSpec parse_pipeline(const ConfigNode& section) {
  // decoder and padding are knobs
  check_keys(section, "pipeline", {"transforms", "decoder", "padding"});
  PipelineParser parser;
  const ConfigNode* transforms = section.find("transforms");
  if (!transforms) return parser.spec();
  if (transforms->kind != ConfigNode::Kind::kList) {
    throw config_error(*transforms, "pipeline.transforms", "must be a list of transforms");
  }
  for (const ConfigNode& item : transforms->items) {
    if (item.kind == ConfigNode::Kind::kScalar) {
      ConfigNode nothing;
      nothing.file = item.file;
      nothing.line = item.line;
      parser.add(item.scalar, nothing);
    } else if (item.kind == ConfigNode::Kind::kMap && item.entries.size() == 1) {
      parser.add(item.entries.front().key, item.entries.front().value);
    } else {
      throw config_error(item, "pipeline.transforms", "must be a name, or a name with its options");
    }
  }
  return parser.spec();
}

}  // namespace feedrate
