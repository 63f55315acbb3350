// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "bench/plan/config_sections.h"
#include "bench/plan/values.h"
#include "core/error.h"
#include "formats/datasets/presets.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

template <typename Action>
void with_position(const ConfigNode& node, std::string_view key, Action action) {
  try {
    action();
  } catch (const ConfigError& error) {
    throw config_error(node, key, error.what());
  }
}

std::string preset_name(const ConfigNode& node, std::string_view key) {
  const std::string& name = text_value(node, key);
  with_position(node, key, [&] { static_cast<void>(find_preset(name)); });
  return name;
}

ImageEncoding image_encoding(const ConfigNode& node, std::string_view key) {
  const std::string& name = text_value(node, key);
  if (name == "png") return ImageEncoding::kPng;
  if (name == "jpeg") return ImageEncoding::kJpeg;
  throw config_error(node, key, fmt::format("'{}' is not one of png, jpeg", name));
}

std::string format_name(const ConfigNode& node, std::string_view key) {
  const std::string& name = text_value(node, key);
  with_position(node, key, [&] { static_cast<void>(find_format(name)); });
  return name;
}

void read_opaque(const ConfigNode& make, MakeOptions& options) {
  const auto read = [&make](std::string_view key, std::int64_t least) {
    const ConfigNode* node = make.find(key);
    return node ? std::optional(static_cast<std::size_t>(
                      integer_value(*node, fmt::format("dataset.make.{}", key), least, INT64_MAX)))
                : std::nullopt;
  };
  options.record_bytes = read("record_bytes", 1);
  options.record_bytes_stdev = read("record_bytes_stdev", 0).value_or(0);
  options.shard_bytes = read("shard_bytes", 1).value_or(options.shard_bytes);
}

void check_make(const ConfigNode& make, const MakeOptions& options) {
  with_position(make, "dataset.make", [&] { static_cast<void>(resolve(options)); });
}

}  // namespace

void read_make(const ConfigNode& dataset, DatasetConfig& config) {
  const ConfigNode* make = dataset.find("make");
  if (!make) return;
  check_keys(*make, "dataset.make",
             {"preset", "count", "size", "encoding", "format", "record_bytes", "record_bytes_stdev",
              "shard_bytes"});
  const ConfigNode* preset = make->find("preset");
  const ConfigNode* count = make->find("count");
  if (!preset || !count) throw config_error(*make, "dataset.make", "needs preset and count");
  MakeOptions options;
  options.preset = preset_name(*preset, "dataset.make.preset");
  options.count = static_cast<std::size_t>(integer_value(*count, "dataset.make.count", 1, kMany));
  if (const ConfigNode* size = make->find("size")) {
    const auto side = static_cast<int>(integer_value(*size, "dataset.make.size", 1, kLargestSide));
    options.size = ImageSize{side, side};
  }
  if (const ConfigNode* encoding = make->find("encoding")) {
    options.encoding = image_encoding(*encoding, "dataset.make.encoding");
  }
  read_opaque(*make, options);
  check_make(*make, options);
  config.make = std::move(options);
  if (const ConfigNode* format = make->find("format")) {
    config.make_format = format_name(*format, "dataset.make.format");
  }
}

}  // namespace feedrate
