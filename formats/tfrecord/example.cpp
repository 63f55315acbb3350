// SPDX-License-Identifier: Apache-2.0
#include "formats/tfrecord/example.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/payload.h"
#include "formats/tfrecord/wire.h"

namespace feedrate {
namespace {

/// Field numbers of Feature.
enum class Kind : std::uint8_t { kNone = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

struct Feature {
  std::string_view name;
  Kind kind = Kind::kNone;
  Bytes list;
};

std::string_view text_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void set_kind(Feature& feature, Bytes message, bool& good) noexcept {
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->type != WireType::kBytes || field->number < 1 || field->number > 3) continue;
    feature.kind = static_cast<Kind>(field->number);
    feature.list = field->bytes;
  }
  good = good && fields.good();
}

Feature parse_entry(Bytes message, bool& good) noexcept {
  Feature feature;
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->type != WireType::kBytes) continue;
    if (field->number == 1) feature.name = text_of(field->bytes);
    if (field->number == 2) set_kind(feature, field->bytes, good);
  }
  good = good && fields.good();
  return feature;
}

/// Calls `visit` for each feature; returns false if the message is malformed.
template <typename Visit>
bool visit_features(Bytes example, const Visit& visit) {
  bool good = true;
  WireReader messages(example);
  while (const auto features = messages.next()) {
    if (features->number != 1 || features->type != WireType::kBytes) continue;
    WireReader entries(features->bytes);
    while (const auto entry = entries.next()) {
      if (entry->number == 1 && entry->type == WireType::kBytes) {
        visit(parse_entry(entry->bytes, good));
      }
    }
    good = good && entries.good();
  }
  return good && messages.good();
}

/// The first value of a BytesList; empty if there is none.
std::optional<Bytes> first_bytes(const Feature& feature) noexcept {
  if (feature.kind != Kind::kBytes) return std::nullopt;
  WireReader values(feature.list);
  while (const auto value = values.next()) {
    if (value->number == 1 && value->type == WireType::kBytes) return value->bytes;
  }
  return std::nullopt;
}

/// The first value of an Int64List: packed, as proto3 writes it, or one field each.
std::optional<std::int64_t> first_integer(const Feature& feature) noexcept {
  if (feature.kind != Kind::kInt64) return std::nullopt;
  WireReader values(feature.list);
  while (const auto value = values.next()) {
    if (value->number != 1) continue;
    if (value->type == WireType::kVarint) return static_cast<std::int64_t>(value->value);
    if (value->type != WireType::kBytes) continue;
    if (const auto packed = WireReader(value->bytes).varint()) {
      return static_cast<std::int64_t>(*packed);
    }
  }
  return std::nullopt;
}

/// Names of labels in order of preference: TensorFlow's converters, then others.
constexpr std::array<std::string_view, 5> kExampleLabels{"image/class/label", "label", "labels",
                                                         "target", "class"};
constexpr std::string_view kImageName = "image/encoded";

class Picker {
 public:
  void operator()(const Feature& feature) noexcept {
    pick_bytes(feature);
    const auto* const name = std::find(kExampleLabels.begin(), kExampleLabels.end(), feature.name);
    if (name >= label_name_) return;
    if (const auto label = first_integer(feature)) {
      example_.label = *label;
      label_name_ = name;
    }
  }

  [[nodiscard]] Example example() const noexcept {
    Example example = example_;
    if (example.payload.empty() && !opaque_.empty()) {
      example.payload = opaque_;
      example.kind = Payload::kBytes;
    }
    return example;
  }

 private:
  void pick_bytes(const Feature& feature) noexcept {
    const std::optional<Bytes> bytes = first_bytes(feature);
    if (!bytes) return;
    if (feature.name == kKeyFeature) {
      example_.key = text_of(*bytes);
    } else if (feature.name == kImageName) {
      example_.payload = *bytes;
      named_ = true;
    } else if (!named_ && example_.payload.empty() && !extension_for(*bytes).empty()) {
      example_.payload = *bytes;
    } else if (feature.name == kBytesFeature) {
      opaque_ = *bytes;
    }
  }

  Example example_;
  Bytes opaque_;
  bool named_ = false;
  const std::string_view* label_name_ = kExampleLabels.end();
};

std::string bytes_feature(std::string_view name, std::string_view value) {
  std::string list;
  append_bytes(list, 1, value);
  std::string feature;
  append_bytes(feature, static_cast<std::uint64_t>(Kind::kBytes), list);
  std::string entry;
  append_bytes(entry, 1, name);
  append_bytes(entry, 2, feature);
  return entry;
}

std::string integer_feature(std::string_view name, std::int64_t value) {
  std::string packed;
  append_varint(packed, static_cast<std::uint64_t>(value));
  std::string list;
  append_bytes(list, 1, packed);
  std::string feature;
  append_bytes(feature, static_cast<std::uint64_t>(Kind::kInt64), list);
  std::string entry;
  append_bytes(entry, 1, name);
  append_bytes(entry, 2, feature);
  return entry;
}

template <typename Add>
void add_image_features(const Record& record, const Add& add) {
  const std::string_view extension = extension_for(record.payload);
  const std::string_view base = record.key.substr(record.key.rfind('/') + 1);
  add(bytes_feature("image/filename", fmt::format("{}{}", base, extension)));
  add(bytes_feature("image/format", extension == ".png" ? "PNG" : "JPEG"));
}

/// DLIO's "size": the side of a square of that many bytes.
std::int64_t side_of(Bytes payload) {
  return static_cast<std::int64_t>(std::sqrt(static_cast<double>(payload.size())));
}

}  // namespace

std::optional<Example> parse_example(Bytes bytes) noexcept {
  Picker picker;
  const bool good =
      visit_features(bytes, [&](const Feature& feature) noexcept { picker(feature); });
  return good ? std::optional(picker.example()) : std::nullopt;
}

std::string describe_features(Bytes example) {
  constexpr std::size_t kMost = 10;
  constexpr std::size_t kLongestName = 60;
  constexpr std::array<std::string_view, 4> kKinds{"nothing", "bytes", "float", "int64"};
  std::string text;
  std::size_t count = 0;
  visit_features(example, [&](const Feature& feature) {
    if (++count > kMost) return;
    text += fmt::format("{}{} ({})", count > 1 ? ", " : "", feature.name.substr(0, kLongestName),
                        kKinds[static_cast<std::size_t>(feature.kind)]);
  });
  if (count == 0) return "no features";
  return count > kMost ? fmt::format("{}, … {} features", text, count) : text;
}

std::string format_example(const Record& record, std::string_view class_name) {
  const bool is_image = record.kind != Payload::kBytes;
  std::string features;
  const auto add = [&](const std::string& entry) { append_bytes(features, 1, entry); };
  add(bytes_feature(kKeyFeature, record.key));
  if (is_image) add_image_features(record, add);
  if (record.label != kNoLabel) add(integer_feature(kExampleLabels[0], record.label));
  if (!class_name.empty()) add(bytes_feature("image/class/text", class_name));
  if (!is_image) add(integer_feature("size", side_of(record.payload)));
  add(bytes_feature(is_image ? kImageName : kBytesFeature, text_of(record.payload)));
  std::string example;
  append_bytes(example, 1, features);
  return example;
}

}  // namespace feedrate
