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
#include "core/parse_json.h"
#include "formats/payload.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} << 20;
constexpr const char* kV3File = "zarr.json";

std::string shortened(const json& value) {
  constexpr std::size_t kLongest = 120;
  return value.dump(-1, ' ', true).substr(0, kLongest);
}

/// A JSON file. Messages name the key at fault.
class ZarrDocument {
 public:
  explicit ZarrDocument(const fs::path& path)
      : path_(path.string()),
        root_(parse_json<json>(read_text_at(path_, kMaxMetadataBytes), path_)) {
    if (!root_.is_object()) throw FormatError({.file = path_}, "is not a JSON object");
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const json& root() const { return root_; }

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    throw FormatError({.file = path_}, fmt::format("{}: {}", key, problem));
  }

  /// Returns null if there is no such key.
  [[nodiscard]] static const json& find(const json& object, const char* key) {
    static const json kNone;
    const auto found = object.find(key);
    return found == object.end() ? kNone : *found;
  }

  [[nodiscard]] const json& at(const json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end()) fail(key, "is missing");
    return *found;
  }

  [[nodiscard]] std::vector<std::uint64_t> sizes(const json& object, const char* key) const {
    const json& value = at(object, key);
    // Refuse floats: converting 1e77 to an integer is undefined, and 1.5 would be rounded.
    if (!value.is_array() || !std::all_of(value.begin(), value.end(), [](const json& size) {
          return size.is_number_unsigned();
        })) {
      fail(key, fmt::format("is {}; must be a list of whole numbers", shortened(value)));
    }
    return value.get<std::vector<std::uint64_t>>();
  }

  [[nodiscard]] std::string text(const json& object, const char* key) const {
    const json& value = at(object, key);
    if (!value.is_string()) fail(key, fmt::format("is {}; must be a string", shortened(value)));
    return value.get<std::string>();
  }

  /// The name of a version 3 extension: a string, or the "name" of an object.
  [[nodiscard]] std::string name(const json& named, const char* key) const {
    if (named.is_string()) return named.get<std::string>();
    if (!named.is_object()) fail(key, fmt::format("{} has no name", shortened(named)));
    return text(named, "name");
  }

 private:
  std::string path_;
  json root_;
};

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
void set_v2_type(ZarrArray& array, const json& dtype) {
  const std::string text = dtype.is_string() ? dtype.get<std::string>() : "a structured type";
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
std::uint64_t rows_of(const ZarrDocument& document, const std::vector<std::uint64_t>& chunk,
                      const ZarrArray& array, const char* key) {
  const auto& shape = array.shape;
  if (chunk.size() != shape.size() || chunk.empty() || chunk.front() == 0) {
    document.fail(key, fmt::format("[{}] does not fit shape [{}]", fmt::join(chunk, ", "),
                                   fmt::join(shape, ", ")));
  }
  if (!std::equal(chunk.begin() + 1, chunk.end(), shape.begin() + 1)) {
    std::vector<std::uint64_t> whole = shape;
    whole.front() = chunk.front();
    document.fail(key, fmt::format("[{}] splits samples; only the first dimension may be split. "
                                   "In Python: create_array(…, chunks=({}))",
                                   fmt::join(chunk, ", "), fmt::join(whole, ", ")));
  }
  return chunk.front();
}

void set_fill(const ZarrDocument& document, ZarrArray& array) {
  const json& fill = ZarrDocument::find(document.root(), "fill_value");
  if (fill.is_null() || !array.is_integer) return;  // Null allows any value.
  if (!fill.is_number_integer()) {
    document.fail("fill_value", fmt::format("is {}; must be an integer", shortened(fill)));
  }
  array.fill = fill.is_number_unsigned() ? fill.get<std::uint64_t>()
                                         : static_cast<std::uint64_t>(fill.get<std::int64_t>());
}

std::string chunk_numbers_behind(std::size_t rank, const std::string& separator) {
  std::string text;
  for (std::size_t i = 1; i < rank; ++i) text += separator + "0";
  return text;
}

std::string separator_of(const ZarrDocument& document, const json& object, const char* key,
                         const char* by_default) {
  const json& value = ZarrDocument::find(object, key);
  if (value.is_null()) return by_default;
  if (value != "." && value != "/") {
    document.fail(key, fmt::format("is {}; must be \".\" or \"/\"", shortened(value)));
  }
  return value.get<std::string>();
}

void read_v2(const ZarrDocument& document, const fs::path& folder, ZarrArray& array) {
  const json& root = document.root();
  array.shape = document.sizes(root, "shape");
  set_v2_type(array, document.at(root, "dtype"));
  array.file_rows = rows_of(document, document.sizes(root, "chunks"), array, "chunks");
  if (document.text(root, "order") != "C" && array.shape.size() > 1) {
    document.fail("order", "is \"F\"; must be \"C\". In Python: create_array(…, order=\"C\")");
  }
  const json& filters = ZarrDocument::find(root, "filters");
  if (!filters.empty()) {
    document.fail("filters", fmt::format("{} are not supported; must be null. In Python: "
                                         "create_array(…, filters=None)",
                                         shortened(filters)));
  }
  const json& compressor = document.at(root, "compressor");
  if (!compressor.is_null()) {
    const std::string id = document.name(ZarrDocument::find(compressor, "id"), "compressor");
    if (id == "gzip") array.codecs = {ZarrCodec::kGzip};
    if (id == "zlib") array.codecs = {ZarrCodec::kZlib};
    if (id == "zstd") array.codecs = {ZarrCodec::kZstd};
    if (id == "blosc") array.codecs = {ZarrCodec::kBlosc};
    if (array.codecs.empty()) {
      document.fail("compressor", fmt::format("\"{}\" is not supported; must be null, gzip, zlib, "
                                              "zstd or blosc",
                                              id));
    }
  }
  const std::string separator = separator_of(document, root, "dimension_separator", ".");
  array.chunk_prefix = (folder / "").string();
  array.chunk_suffix = chunk_numbers_behind(array.shape.size(), separator);
}

void require_little_endian(const json& bytes_codec, ZarrArray& array) {
  const json& configuration = ZarrDocument::find(bytes_codec, "configuration");
  if (ZarrDocument::find(configuration, "endian") != "big" || array.element_bytes < 2) return;
  array.type = "big-endian " + array.type;
  array.is_integer = false;
}

/// Parses a chunk's codecs: "bytes", then those from bytes to bytes.
std::vector<ZarrCodec> chunk_codecs(const ZarrDocument& document, const json& list,
                                    ZarrArray& array) {
  const std::string first =
      list.is_array() && !list.empty() ? document.name(list.front(), "codecs") : "";
  if (first != "bytes") {
    document.fail("codecs", fmt::format("\"{}\" is not supported as the first; must be bytes, or "
                                        "sharding_indexed around it",
                                        first));
  }
  require_little_endian(list.front(), array);
  std::vector<ZarrCodec> codecs;
  for (auto codec = list.begin() + 1; codec != list.end(); ++codec) {
    const std::string name = document.name(*codec, "codecs");
    if (name != "gzip" && name != "zstd" && name != "blosc" && name != "crc32c") {
      document.fail("codecs", fmt::format("\"{}\" is not supported; must be gzip, zstd, blosc or "
                                          "crc32c",
                                          name));
    }
    codecs.push_back(name == "gzip"    ? ZarrCodec::kGzip
                     : name == "zstd"  ? ZarrCodec::kZstd
                     : name == "blosc" ? ZarrCodec::kBlosc
                                       : ZarrCodec::kCrc32c);
  }
  // With one compressor at most, the output of each codec has a known size.
  if (codecs.size() -
          static_cast<std::size_t>(std::count(codecs.begin(), codecs.end(), ZarrCodec::kCrc32c)) >
      1) {
    document.fail("codecs", "compress twice, which is not supported; must be one compressor");
  }
  return codecs;
}

void read_shards(const ZarrDocument& document, const json& list, ZarrArray& array) {
  if (list.size() > 1) {
    document.fail("codecs", "follow sharding_indexed, which is not supported; put them inside it");
  }
  const json& configuration = document.at(list.front(), "configuration");
  ZarrShards shards{.rows = rows_of(document, document.sizes(configuration, "chunk_shape"), array,
                                    "chunk_shape")};
  if (array.file_rows % shards.rows != 0) {
    document.fail("chunk_shape", fmt::format("{} samples do not divide a shard of {}", shards.rows,
                                             array.file_rows));
  }
  array.codecs = chunk_codecs(document, document.at(configuration, "codecs"), array);
  const json& location = ZarrDocument::find(configuration, "index_location");
  if (!location.is_null() && location != "start" && location != "end") {
    document.fail("index_location", "must be \"start\" or \"end\"");
  }
  shards.index_first = location == "start";
  ZarrArray index{.metadata = array.metadata, .element_bytes = sizeof(std::uint64_t)};
  const auto index_codecs =
      chunk_codecs(document, document.at(configuration, "index_codecs"), index);
  shards.index_checksum = index_codecs.size() == 1 && index_codecs.front() == ZarrCodec::kCrc32c;
  if ((!shards.index_checksum && !index_codecs.empty()) || !index.type.empty()) {
    document.fail("index_codecs", "must be little-endian bytes, with or without crc32c");
  }
  array.shards = shards;
}

// The specification demands that readers refuse unknown keys, unless must_understand is false.
void require_understood(const ZarrDocument& document) {
  constexpr std::array<std::string_view, 11> kKnown{
      "attributes", "chunk_grid",           "chunk_key_encoding", "codecs",
      "data_type",  "dimension_names",      "fill_value",         "node_type",
      "shape",      "storage_transformers", "zarr_format"};
  for (const auto& [key, value] : document.root().items()) {
    const bool is_known = std::find(kKnown.begin(), kKnown.end(), key) != kKnown.end();
    if (is_known || value.is_null()) continue;
    if (ZarrDocument::find(value, "must_understand") == false) continue;
    document.fail(key, "is an extension that is not supported; must have must_understand: false");
  }
}

void read_v3(const ZarrDocument& document, const fs::path& folder, ZarrArray& array) {
  const json& root = document.root();
  array.shape = document.sizes(root, "shape");
  set_v3_type(array, document.name(document.at(root, "data_type"), "data_type"));
  const json& grid = document.at(root, "chunk_grid");
  if (const std::string name = document.name(grid, "chunk_grid"); name != "regular") {
    document.fail("chunk_grid", fmt::format("\"{}\" is not supported; must be regular", name));
  }
  array.file_rows =
      rows_of(document, document.sizes(document.at(grid, "configuration"), "chunk_shape"), array,
              "chunk_shape");
  if (!ZarrDocument::find(root, "storage_transformers").empty()) {
    document.fail("storage_transformers", "are not supported; must be empty");
  }
  const json& codecs = document.at(root, "codecs");
  if (codecs.is_array() && !codecs.empty() &&
      document.name(codecs.front(), "codecs") == "sharding_indexed") {
    read_shards(document, codecs, array);
  } else {
    array.codecs = chunk_codecs(document, codecs, array);
  }
  const json& keys = document.at(root, "chunk_key_encoding");
  const std::string encoding = document.name(keys, "chunk_key_encoding");
  if (encoding != "default" && encoding != "v2") {
    document.fail("chunk_key_encoding",
                  fmt::format("\"{}\" is not supported; must be default or v2", encoding));
  }
  const bool is_default = encoding == "default";
  const std::string separator = separator_of(document, ZarrDocument::find(keys, "configuration"),
                                             "separator", is_default ? "/" : ".");
  array.chunk_prefix = (folder / "").string() + (is_default ? "c" + separator : "");
  array.chunk_suffix = chunk_numbers_behind(array.shape.size(), separator);
  require_understood(document);
}

/// Limits an array's claimed size before memory is allocated for it.
void require_plausible_array(const ZarrDocument& document, const ZarrArray& array) {
  std::uint64_t bytes = array.element_bytes;
  for (std::size_t i = 1; i < array.shape.size(); ++i) {
    if (__builtin_mul_overflow(bytes, array.shape[i], &bytes)) bytes = kMaxRecordBytes + 1;
    if (bytes > kMaxRecordBytes) {
      document.fail("shape", fmt::format("[{}] is impossibly large", fmt::join(array.shape, ", ")));
    }
  }
  const std::uint64_t most = kMaxRecordBytes / std::max<std::uint64_t>(bytes, 1);
  if (!array.codecs.empty() && array.chunk_rows() > most) {
    document.fail(array.shards || array.metadata.ends_with(kV3File) ? "chunk_shape" : "chunks",
                  fmt::format("chunks of {} samples of {} bytes; must have at most {} bytes",
                              array.chunk_rows(), bytes, kMaxRecordBytes));
  }
  std::uint64_t file_bytes = 0;
  if (__builtin_mul_overflow(array.file_rows, std::max<std::uint64_t>(bytes, 16), &file_bytes) ||
      file_bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    document.fail("chunk_shape", "is impossibly large");
  }
}

ZarrNode read_node(const fs::path& folder, int version) {
  const fs::path metadata = folder / (version == 3 ? kV3File : ".zarray");
  ZarrNode node{.name = folder.filename().string(), .array = {.metadata = metadata.string()}};
  try {
    const ZarrDocument document(metadata);
    (version == 3 ? read_v3 : read_v2)(document, folder, node.array);
    set_fill(document, node.array);
    require_plausible_array(document, node.array);
  } catch (const FormatError& error) {
    node.problem = error.what();
  }
  return node;
}

bool is_array_of_v3(const fs::path& metadata) {
  if (!is_file_there(metadata)) return false;
  const ZarrDocument document(metadata);
  return ZarrDocument::find(document.root(), "node_type") == "array";
}

bool is_array_there(const fs::path& folder, int version) {
  return version == 3 ? is_array_of_v3(folder / kV3File) : is_file_there(folder / ".zarray");
}

std::vector<std::string> class_names_in(const ZarrDocument& document, const json& attributes) {
  const json& names = ZarrDocument::find(attributes, "class_names");
  if (names.is_null()) return {};
  if (!names.is_array() ||
      !std::all_of(names.begin(), names.end(), [](const json& name) { return name.is_string(); })) {
    document.fail("class_names", fmt::format("is {}; must be a list of strings", shortened(names)));
  }
  return names.get<std::vector<std::string>>();
}

ZarrGroup read_group_metadata(const fs::path& root) {
  if (is_file_there(root / kV3File)) {
    const ZarrDocument document(root / kV3File);
    if (document.text(document.root(), "node_type") != "group") {
      document.fail("node_type", "must be \"group\", of an array of images and one of labels");
    }
    require_understood(document);
    return {
        .version = 3,
        .class_names = class_names_in(document, ZarrDocument::find(document.root(), "attributes"))};
  }
  if (!is_file_there(root / ".zgroup")) {
    throw FormatError({.file = root.string()},
                      "is not a Zarr group: must have zarr.json (version 3) or .zgroup (version "
                      "2), and an array of images and one of labels");
  }
  if (!is_file_there(root / ".zattrs")) return {.version = 2};
  const ZarrDocument document(root / ".zattrs");
  return {.version = 2, .class_names = class_names_in(document, document.root())};
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
