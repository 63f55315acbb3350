// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_metadata.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_node.h"
#include "formats/payload.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} << 20;
constexpr const char* kV3File = "zarr.json";

JsonNode open_metadata(const fs::path& path) {
  return {read_text_at(path.string(), kMaxMetadataBytes), path.string()};
}

std::vector<std::uint64_t> sizes(const JsonNode& node) {
  std::vector<std::uint64_t> all;
  for (const JsonNode& size : node.elements()) all.push_back(size.whole());
  return all;
}

/// The name of a version 3 extension: a string, or the "name" of an object.
std::string name_of(const JsonNode& node) {
  return node.is_text() ? node.text() : node.at("name").text();
}

bool is_empty(const JsonNode& node) { return node.json().empty(); }  // Null is, too.

void set_type(ZarrArray& array, char kind, std::size_t bytes, bool is_big_endian) {
  const bool is_big = is_big_endian && bytes > 1;
  array.type = fmt::format("{}{}{}", is_big ? "big-endian " : "",
                           kind == 'u'   ? "uint"
                           : kind == 'i' ? "int"
                                         : "float",
                           8 * bytes);
  array.element_bytes = bytes;
  array.is_signed = kind == 'i';
  array.is_integer = kind != 'f' && !is_big;
}

// `dtype` is byte order, kind and bytes, as in "<i4".
void set_v2_type(ZarrArray& array, const JsonNode& dtype) {
  const std::string text = dtype.is_text() ? dtype.text() : "a structured type";
  const auto is_one_of = [](char letter, std::string_view letters) {
    return letters.find(letter) != std::string_view::npos;
  };
  const bool is_number =
      text.size() == 3 && is_one_of(text[1], "iuf") && is_one_of(text[2], "1248");
  if (!is_number) {
    array.type = text;
    return;
  }
  set_type(array, text[1], static_cast<std::size_t>(text[2] - '0'), text[0] == '>');
}

void set_v3_type(ZarrArray& array, const std::string& name) {
  for (const char kind : {'i', 'u', 'f'}) {
    for (const std::size_t bytes : {1U, 2U, 4U, 8U}) {
      set_type(array, kind, bytes, false);
      if (array.type == name) return;
    }
  }
  array.type = name;
  array.is_integer = false;
  array.element_bytes = 0;
}

/// The rows of a chunk. Fails if the chunk splits any other dimension.
std::uint64_t rows_of(const JsonNode& node, const ZarrArray& array) {
  const auto& shape = array.shape;
  const std::vector<std::uint64_t> chunk = sizes(node);
  if (chunk.size() != shape.size() || chunk.empty() || chunk.front() == 0) {
    node.fail(fmt::format("[{}] does not fit shape [{}]", fmt::join(chunk, ", "),
                          fmt::join(shape, ", ")));
  }
  if (!std::equal(chunk.begin() + 1, chunk.end(), shape.begin() + 1)) {
    std::vector<std::uint64_t> whole = shape;
    whole.front() = chunk.front();
    node.fail(
        fmt::format("[{}] splits samples; only the first dimension may be split. "
                    "In Python: create_array(…, chunks=({}))",
                    fmt::join(chunk, ", "), fmt::join(whole, ", ")));
  }
  return chunk.front();
}

void set_fill(const JsonNode& root, ZarrArray& array) {
  const JsonNode fill = root.find("fill_value");
  if (fill.is_null() || !array.is_integer) return;  // Null allows any value.
  array.fill =
      fill.json().is_number_unsigned() ? fill.whole() : static_cast<std::uint64_t>(fill.integer());
}

std::string chunk_numbers_behind(std::size_t rank, const std::string& separator) {
  std::string text;
  for (std::size_t i = 1; i < rank; ++i) text += separator + "0";
  return text;
}

std::string separator_of(const JsonNode& node, const char* by_default) {
  if (node.is_null()) return by_default;
  const std::string separator = node.text();
  if (separator != "." && separator != "/") node.fail("must be \".\" or \"/\"");
  return separator;
}

void read_v2_compressor(const JsonNode& node, ZarrArray& array) {
  if (node.is_null()) return;
  const std::string id = node.at("id").text();
  if (id == "gzip") array.codecs = {ZarrCodec::kGzip};
  if (id == "zlib") array.codecs = {ZarrCodec::kZlib};
  if (id == "zstd") array.codecs = {ZarrCodec::kZstd};
  if (id == "blosc") array.codecs = {ZarrCodec::kBlosc};
  if (!array.codecs.empty()) return;
  node.fail(fmt::format("\"{}\" is not supported; must be null, gzip, zlib, zstd or blosc", id));
}

void read_v2(const JsonNode& root, const fs::path& folder, ZarrArray& array) {
  array.shape = sizes(root.at("shape"));
  set_v2_type(array, root.at("dtype"));
  array.file_rows = rows_of(root.at("chunks"), array);
  if (root.at("order").text() != "C" && array.shape.size() > 1) {
    root.at("order").fail("is \"F\"; must be \"C\". In Python: create_array(…, order=\"C\")");
  }
  if (const JsonNode filters = root.find("filters"); !is_empty(filters)) {
    filters.fail(
        "must be null; filters are not supported. In Python: create_array(…, "
        "filters=None)");
  }
  read_v2_compressor(root.at("compressor"), array);
  const std::string separator = separator_of(root.find("dimension_separator"), ".");
  array.chunk_prefix = (folder / "").string();
  array.chunk_suffix = chunk_numbers_behind(array.shape.size(), separator);
}

void require_little_endian(const JsonNode& bytes_codec, ZarrArray& array) {
  if (!bytes_codec.is_object() || !bytes_codec.has("configuration")) return;
  const JsonNode endian = bytes_codec.at("configuration").find("endian");
  if (!endian.is_text() || endian.text() != "big" || array.element_bytes < 2) return;
  array.type = "big-endian " + array.type;
  array.is_integer = false;
}

ZarrCodec codec_of(const JsonNode& node) {
  const std::string name = name_of(node);
  if (name == "gzip") return ZarrCodec::kGzip;
  if (name == "zstd") return ZarrCodec::kZstd;
  if (name == "blosc") return ZarrCodec::kBlosc;
  if (name == "crc32c") return ZarrCodec::kCrc32c;
  node.fail(fmt::format("\"{}\" is not supported; must be gzip, zstd, blosc or crc32c", name));
}

/// Parses a chunk's codecs: "bytes", then those from bytes to bytes.
std::vector<ZarrCodec> chunk_codecs(const JsonNode& node, ZarrArray& array) {
  const std::vector<JsonNode> list = node.elements();
  const std::string first = list.empty() ? "" : name_of(list.front());
  if (first != "bytes") {
    node.fail(
        fmt::format("\"{}\" is not supported as the first; must be bytes, or "
                    "sharding_indexed around it",
                    first));
  }
  require_little_endian(list.front(), array);
  std::vector<ZarrCodec> codecs;
  for (auto codec = list.begin() + 1; codec != list.end(); ++codec) {
    codecs.push_back(codec_of(*codec));
  }
  // With one compressor at most, the output of each codec has a known size.
  const auto checksums = std::count(codecs.begin(), codecs.end(), ZarrCodec::kCrc32c);
  if (codecs.size() - static_cast<std::size_t>(checksums) > 1) {
    node.fail("compress twice, which is not supported; must be one compressor");
  }
  return codecs;
}

bool is_index_first(const JsonNode& location) {
  if (location.is_null()) return false;
  const std::string text = location.text();
  if (text != "start" && text != "end") location.fail("must be \"start\" or \"end\"");
  return text == "start";
}

void read_shards(const JsonNode& codecs, ZarrArray& array) {
  const std::vector<JsonNode> list = codecs.elements();
  if (list.size() > 1) {
    codecs.fail("codecs that follow sharding_indexed are not supported; put them inside it");
  }
  const JsonNode configuration = list.front().at("configuration");
  const JsonNode chunk_shape = configuration.at("chunk_shape");
  ZarrShards shards{.rows = rows_of(chunk_shape, array)};
  if (array.file_rows % shards.rows != 0) {
    chunk_shape.fail(
        fmt::format("{} samples do not divide a shard of {}", shards.rows, array.file_rows));
  }
  array.codecs = chunk_codecs(configuration.at("codecs"), array);
  shards.index_first = is_index_first(configuration.find("index_location"));
  ZarrArray index{.metadata = array.metadata, .element_bytes = sizeof(std::uint64_t)};
  const JsonNode index_node = configuration.at("index_codecs");
  const auto index_codecs = chunk_codecs(index_node, index);
  shards.index_checksum = index_codecs.size() == 1 && index_codecs.front() == ZarrCodec::kCrc32c;
  if ((!shards.index_checksum && !index_codecs.empty()) || !index.type.empty()) {
    index_node.fail("must be little-endian bytes, with or without crc32c");
  }
  array.shards = shards;
}

// The specification demands that readers refuse unknown keys, unless must_understand is false.
bool may_be_ignored(const JsonNode& extension) {
  if (!extension.is_object()) return false;
  const JsonNode flag = extension.find("must_understand");
  return !flag.is_null() && !flag.flag();
}

void require_understood(const JsonNode& root) {
  constexpr std::array<std::string_view, 11> kKnown{
      "attributes", "chunk_grid",           "chunk_key_encoding", "codecs",
      "data_type",  "dimension_names",      "fill_value",         "node_type",
      "shape",      "storage_transformers", "zarr_format"};
  for (const auto& [key, value] : root.members()) {
    const bool is_known = std::find(kKnown.begin(), kKnown.end(), key) != kKnown.end();
    if (is_known || value.is_null() || may_be_ignored(value)) continue;
    value.fail("is an extension that is not supported; must have must_understand: false");
  }
}

void read_v3(const JsonNode& root, const fs::path& folder, ZarrArray& array) {
  array.shape = sizes(root.at("shape"));
  set_v3_type(array, name_of(root.at("data_type")));
  const JsonNode grid = root.at("chunk_grid");
  if (const std::string name = name_of(grid); name != "regular") {
    grid.fail(fmt::format("\"{}\" is not supported; must be regular", name));
  }
  array.file_rows = rows_of(grid.at("configuration").at("chunk_shape"), array);
  if (const JsonNode transformers = root.find("storage_transformers"); !is_empty(transformers)) {
    transformers.fail("are not supported; must be empty");
  }
  const JsonNode codecs = root.at("codecs");
  const std::vector<JsonNode> list = codecs.elements();
  if (!list.empty() && name_of(list.front()) == "sharding_indexed") {
    read_shards(codecs, array);
  } else {
    array.codecs = chunk_codecs(codecs, array);
  }
  const JsonNode keys = root.at("chunk_key_encoding");
  const std::string encoding = name_of(keys);
  if (encoding != "default" && encoding != "v2") {
    keys.fail(fmt::format("\"{}\" is not supported; must be default or v2", encoding));
  }
  const char* const by_default = encoding == "default" ? "/" : ".";
  const bool is_configured = keys.is_object() && keys.has("configuration");
  const std::string separator =
      is_configured ? separator_of(keys.at("configuration").find("separator"), by_default)
                    : by_default;
  array.chunk_prefix = (folder / "").string() + (encoding == "default" ? "c" + separator : "");
  array.chunk_suffix = chunk_numbers_behind(array.shape.size(), separator);
  require_understood(root);
}

/// Limits an array's claimed size before memory is allocated for it.
void require_plausible_array(const JsonNode& root, const ZarrArray& array) {
  std::uint64_t bytes = array.element_bytes;
  for (std::size_t i = 1; i < array.shape.size(); ++i) {
    if (__builtin_mul_overflow(bytes, array.shape[i], &bytes)) bytes = kMaxRecordBytes + 1;
    if (bytes > kMaxRecordBytes) {
      root.at("shape").fail(fmt::format("[{}] is impossibly large", fmt::join(array.shape, ", ")));
    }
  }
  const std::uint64_t most = kMaxRecordBytes / std::max<std::uint64_t>(bytes, 1);
  if (!array.codecs.empty() && array.chunk_rows() > most) {
    root.fail(fmt::format("has chunks of {} samples of {} bytes; must have at most {} bytes",
                          array.chunk_rows(), bytes, kMaxRecordBytes));
  }
  std::uint64_t file_bytes = 0;
  if (__builtin_mul_overflow(array.file_rows, std::max<std::uint64_t>(bytes, 16), &file_bytes) ||
      file_bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    root.fail("has chunks that are impossibly large");
  }
}

ZarrNode read_node(const fs::path& folder, int version) {
  const fs::path metadata = folder / (version == 3 ? kV3File : ".zarray");
  ZarrNode node{.name = folder.filename().string(), .array = {.metadata = metadata.string()}};
  try {
    const JsonNode root = open_metadata(metadata);
    (version == 3 ? read_v3 : read_v2)(root, folder, node.array);
    set_fill(root, node.array);
    require_plausible_array(root, node.array);
  } catch (const FormatError& error) {
    node.problem = error.what();
  }
  return node;
}

bool is_array_of_v3(const fs::path& metadata) {
  if (!is_file_there(metadata)) return false;
  const JsonNode type = open_metadata(metadata).find("node_type");
  return type.is_text() && type.text() == "array";
}

bool is_array_there(const fs::path& folder, int version) {
  return version == 3 ? is_array_of_v3(folder / kV3File) : is_file_there(folder / ".zarray");
}

std::vector<std::string> class_names_in(const JsonNode& attributes) {
  if (!attributes.is_object() || attributes.find("class_names").is_null()) return {};
  return attributes.at("class_names").texts();
}

ZarrGroup read_group_metadata(const fs::path& root) {
  if (is_file_there(root / kV3File)) {
    const JsonNode metadata = open_metadata(root / kV3File);
    if (metadata.at("node_type").text() != "group") {
      metadata.at("node_type").fail("must be \"group\", of an array of images and one of labels");
    }
    require_understood(metadata);
    return {.version = 3, .class_names = class_names_in(metadata.find("attributes"))};
  }
  if (!is_file_there(root / ".zgroup")) {
    throw FormatError({.file = root.string()},
                      "is not a Zarr group: must have zarr.json (version 3) or .zgroup (version "
                      "2), and an array of images and one of labels");
  }
  if (!is_file_there(root / ".zattrs")) return {.version = 2};
  return {.version = 2, .class_names = class_names_in(open_metadata(root / ".zattrs"))};
}

}  // namespace

ZarrGroup read_zarr_group(const fs::path& root) {
  ZarrGroup group = read_group_metadata(root);
  for (const std::string& name : names_in_folder(root).folders) {
    const fs::path folder = root / name;
    if (is_array_there(folder, group.version)) {
      group.arrays.push_back(read_node(folder, group.version));
    }
  }
  return group;
}

std::vector<ZarrNode> nested_zarr_arrays(const fs::path& root) {
  constexpr std::size_t kMostFolders = 100;
  const int version = is_file_there(root / kV3File) ? 3 : 2;
  std::vector<ZarrNode> arrays;
  std::vector<std::string> groups{""};
  for (std::size_t i = 0; i < groups.size() && i < kMostFolders; ++i) {
    const std::string group = groups[i];
    for (const std::string& name : names_in_folder(root / group).folders) {
      const std::string path = group + name;
      if (is_array_there(root / path, version)) {
        if (group.empty()) continue;
        arrays.push_back(read_node(root / path, version));
        arrays.back().name = path;
      } else if (is_file_there(root / path / (version == 3 ? kV3File : ".zgroup"))) {
        groups.push_back(path + '/');
      }
    }
  }
  return arrays;
}

bool looks_like_zarr(const fs::path& path) {
  if (!is_folder(path)) return false;
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  constexpr std::array<const char*, 3> kFiles{kV3File, ".zgroup", ".zarray"};
  try {
    return name.ends_with(".zarr") ||
           std::any_of(kFiles.begin(), kFiles.end(),
                       [&](const char* file) { return is_file_there(path / file); });
  } catch (const SystemError&) {
    return false;  // Opening the dataset reports the error.
  }
}

}  // namespace feedrate
