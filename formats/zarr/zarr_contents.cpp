// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_contents.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/array_names.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/zarr/zarr_metadata.h"
#include "formats/zarr/zarr_rows.h"

namespace feedrate {
namespace {

/// Limit of records: chunks may be absent, so no file's size contradicts the metadata.
constexpr std::uint64_t kMaxZarrRecords = std::uint64_t{1} << 26;

bool is_zarr_channels(std::uint64_t size) { return size == 1 || size == 3; }

bool holds_zarr_images(const ZarrNode& node) {
  const auto& shape = node.array.shape;
  return node.array.type == "uint8" &&
         (shape.size() == 3 || (shape.size() == 4 && is_zarr_channels(shape[3])));
}

// The first array with one of these names. Skips names of coordinates that `accepts` refuses.
const ZarrNode* find_zarr_node(const ZarrGroup& group, std::span<const std::string_view> names,
                               const std::function<bool(const ZarrArray&)>& accepts) {
  for (const std::string_view name : names) {
    for (const ZarrNode& node : group.arrays) {
      if (node.name != name) continue;
      const bool is_known = node.problem.empty() || !node.array.shape.empty();
      if (is_coordinate_name(name) && is_known && !accepts(node.array)) continue;
      return &node;
    }
  }
  return nullptr;
}

std::string list_of(const std::vector<ZarrNode>& nodes) {
  if (nodes.empty()) return "it has no array";
  std::string found = "found";
  constexpr std::size_t kMostListed = 10;
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostListed); ++i) {
    found += fmt::format("{} {}: {}", i == 0 ? "" : ",", nodes[i].name, to_string(nodes[i].array));
  }
  if (nodes.size() <= kMostListed) return found;
  return found + fmt::format(" and {} more", nodes.size() - kMostListed);
}

[[noreturn]] void fail_without_zarr_images(const ZarrGroup& group, const std::string& root) {
  std::vector<ZarrNode> nodes = group.arrays;
  const std::vector<ZarrNode> nested = nested_zarr_arrays(root);
  nodes.insert(nodes.end(), nested.begin(), nested.end());
  throw FormatError(
      {.file = root},
      fmt::format("no records: no array holds images; {}; images must be uint8 N×H×W×3 or "
                  "N×H×W×1, in the group itself, named \"image\" or the only one of its kind",
                  list_of(nodes)));
}

const ZarrNode& choose_zarr_images(const ZarrGroup& group, const std::string& root) {
  const ZarrNode* named = find_zarr_node(
      group, kImageArrayNames, [](const ZarrArray& array) { return array.shape.size() > 1; });
  if (named != nullptr && !named->problem.empty()) throw FormatError(named->problem);
  if (named == nullptr &&
      std::count_if(group.arrays.begin(), group.arrays.end(), holds_zarr_images) == 1) {
    named = &*std::find_if(group.arrays.begin(), group.arrays.end(), holds_zarr_images);
    if (!named->problem.empty()) throw FormatError(named->problem);
  }
  if (named == nullptr || !holds_zarr_images(*named)) fail_without_zarr_images(group, root);
  return *named;
}

ImageShape zarr_image_shape(const ZarrArray& images) {
  const auto& shape = images.shape;
  if (shape.front() == 0 || shape.front() > kMaxZarrRecords) {
    throw FormatError({.file = images.metadata},
                      fmt::format("no records: shape: [{}]; must have 1 to {} images",
                                  fmt::join(shape, ", "), kMaxZarrRecords));
  }
  for (const std::uint64_t size : std::span(shape).subspan(1)) {
    if (size == 0 || size > std::uint64_t{std::numeric_limits<int>::max()}) {
      throw FormatError(
          {.file = images.metadata},
          fmt::format("shape: [{}]: not a valid image shape", fmt::join(shape, ", ")));
    }
  }
  return {.height = static_cast<int>(shape[1]),
          .width = static_cast<int>(shape[2]),
          .channels = shape.size() == 4 ? static_cast<int>(shape[3]) : 1};
}

template <typename Integer>
std::int64_t widened(Bytes bytes) {
  Integer value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<std::int64_t>(value);
}

std::int64_t zarr_integer(const ZarrArray& array, Bytes bytes) {
  switch (array.element_bytes) {
    case 1:
      return array.is_signed ? widened<std::int8_t>(bytes) : widened<std::uint8_t>(bytes);
    case 2:
      return array.is_signed ? widened<std::int16_t>(bytes) : widened<std::uint16_t>(bytes);
    case 4:
      return array.is_signed ? widened<std::int32_t>(bytes) : widened<std::uint32_t>(bytes);
    default:
      return widened<std::int64_t>(bytes);
  }
}

template <typename Use>
void for_each_row(const ZarrArray& array, Use use) {
  ZarrRows rows(array, {.order = ReadOrder::kSequential});
  const std::size_t size = row_bytes(array);
  for (std::uint64_t at = 0; at < array.shape.front();) {
    const Bytes some = rows.read(at, array.shape.front() - at);
    for (std::size_t begin = 0; begin < some.size(); begin += size) {
      use(some.subspan(begin, size));
      ++at;
    }
  }
}

std::vector<std::int64_t> read_zarr_labels(const ZarrGroup& group, std::uint64_t records,
                                           std::vector<std::string>& unread) {
  const ZarrNode* node = find_zarr_node(group, kLabelArrayNames, [&](const ZarrArray& array) {
    return !array.shape.empty() && array.shape.front() == records;
  });
  if (node == nullptr) return {};
  if (!node->problem.empty()) throw FormatError(node->problem);
  const ZarrArray& array = node->array;
  if (!array.is_integer || array.shape.front() != records ||
      row_bytes(array) != array.element_bytes) {
    throw FormatError({.file = array.metadata},
                      fmt::format("is {}; labels must be {} little-endian integers, one per record",
                                  to_string(array), records));
  }
  std::erase(unread, node->name);
  std::vector<std::int64_t> labels;
  labels.reserve(records);
  for_each_row(array, [&](Bytes row) {
    labels.push_back(zarr_integer(array, row));
    if (labels.back() >= 0 || array.is_signed) return;
    throw FormatError({.file = array.metadata, .record = labels.size() - 1},
                      large_label_text(static_cast<std::uint64_t>(labels.back())));
  });
  return labels;
}

std::string unpadded(Bytes row) {
  const std::string text(reinterpret_cast<const char*>(row.data()), row.size());
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

// Reads the keys of feedrate's own writer. Other writers store strings in other ways; their records
// are numbered.
std::vector<std::string> read_zarr_keys(const ZarrGroup& group, std::uint64_t records,
                                        std::vector<std::string>& unread) {
  constexpr std::array<std::string_view, 1> kNames{kZarrKeys};
  const ZarrNode* node = find_zarr_node(group, kNames, [](const auto& /*keys*/) { return true; });
  if (node == nullptr || node->array.type != "uint8" || node->array.shape.size() != 2) return {};
  if (!node->problem.empty()) throw FormatError(node->problem);
  const ZarrArray& array = node->array;
  if (array.shape[0] != records || array.shape[1] == 0 || array.shape[1] > kLongestZarrKey) {
    throw FormatError({.file = array.metadata},
                      fmt::format("is {}; keys must be {} of 1 to {} bytes", to_string(array),
                                  records, kLongestZarrKey));
  }
  std::erase(unread, node->name);
  std::vector<std::string> keys;
  for_each_row(array, [&](Bytes row) {
    keys.push_back(unpadded(row));
    if (!keys.back().empty()) return;
    throw FormatError({.file = array.metadata, .record = keys.size() - 1}, "has no key");
  });
  const auto repeated =
      make_keys_unique(keys, [&](std::size_t i) { return fmt::format("{}#{}", keys[i], i); });
  if (!repeated) return keys;
  throw FormatError({.file = array.metadata, .record = *repeated}, "two records have the same key");
}

}  // namespace

ZarrContents read_zarr_contents(const std::filesystem::path& root) {
  const ZarrGroup group = read_zarr_group(root);
  ZarrContents contents{.version = group.version,
                        .images = choose_zarr_images(group, root.string()).array,
                        .class_names = group.class_names};
  contents.shape = zarr_image_shape(contents.images);
  const std::uint64_t records = contents.images.shape.front();
  for (const ZarrNode& node : group.arrays) {
    if (node.array.metadata != contents.images.metadata) contents.unread.push_back(node.name);
  }
  contents.labels = read_zarr_labels(group, records, contents.unread);
  contents.keys = read_zarr_keys(group, records, contents.unread);
  return contents;
}

}  // namespace feedrate
