// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_layout.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kShuffle = 1;
constexpr int kBitShuffle = 2;

std::string text_of_json(const Json& json) {
  constexpr bool kAsciiOnly = true;  // zarr-python 2.13 requires it.
  return json.dump(2, ' ', kAsciiOnly, Json::error_handler_t::replace) + '\n';
}

std::vector<std::uint64_t> chunk_shape(const ZarrPlan& plan) {
  std::vector<std::uint64_t> shape = plan.shape;
  shape.front() = plan.chunk;
  return shape;
}

Json v2_compressor(const ZarrPlan& plan) {
  const ZarrCompression& compression = plan.compression;
  if (!compression.is_any) return nullptr;
  if (compression.codec == ZarrCodec::kGzip) return {{"id", "gzip"}, {"level", kZarrGzipLevel}};
  if (compression.codec == ZarrCodec::kZstd) return {{"id", "zstd"}, {"level", kZarrZstdLevel}};
  return {{"id", "blosc"},
          {"cname", compression.blosc_compressor},
          {"clevel", kZarrBloscLevel},
          {"shuffle", element_bytes(plan) == 1 ? kBitShuffle : kShuffle},
          {"blocksize", 0}};
}

Json v3_compressor(const ZarrPlan& plan) {
  const ZarrCompression& compression = plan.compression;
  if (compression.codec == ZarrCodec::kGzip) {
    return {{"name", "gzip"}, {"configuration", {{"level", kZarrGzipLevel}}}};
  }
  if (compression.codec == ZarrCodec::kZstd) {
    return {{"name", "zstd"}, {"configuration", {{"level", kZarrZstdLevel}, {"checksum", false}}}};
  }
  return {{"name", "blosc"},
          {"configuration",
           {{"typesize", element_bytes(plan)},
            {"cname", compression.blosc_compressor},
            {"clevel", kZarrBloscLevel},
            {"shuffle", element_bytes(plan) == 1 ? "bitshuffle" : "shuffle"},
            {"blocksize", 0}}}};
}

Json v2_array(const ZarrPlan& plan) {
  return {{"zarr_format", 2},
          {"shape", plan.shape},
          {"chunks", chunk_shape(plan)},
          {"dtype", plan.type == "uint8" ? "|u1" : "<i8"},
          {"compressor", v2_compressor(plan)},
          {"fill_value", 0},
          {"order", "C"},
          {"filters", nullptr},
          {"dimension_separator", "."}};
}

Json v3_array(const ZarrPlan& plan) {
  Json codecs = Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}});
  if (plan.compression.is_any) codecs.push_back(v3_compressor(plan));
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", plan.shape},
          {"data_type", plan.type},
          {"chunk_grid",
           {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk_shape(plan)}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", 0},
          {"codecs", codecs},
          {"attributes", Json::object()}};
}

}  // namespace

std::vector<ZarrFile> zarr_group_files(int version, const std::vector<std::string>& class_names) {
  Json attributes = Json::object();
  if (!class_names.empty()) attributes["class_names"] = class_names;
  if (version == 2) {
    return {{".zgroup", text_of_json({{"zarr_format", 2}})}, {".zattrs", text_of_json(attributes)}};
  }
  return {{"zarr.json",
           text_of_json({{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}})}};
}

ZarrFile zarr_array_file(const ZarrPlan& plan) {
  if (plan.version == 2) return {".zarray", text_of_json(v2_array(plan))};
  return {"zarr.json", text_of_json(v3_array(plan))};
}

std::size_t element_bytes(const ZarrPlan& plan) noexcept { return plan.type == "uint8" ? 1 : 8; }

std::string zarr_chunk_name(const ZarrPlan& plan, std::uint64_t number) {
  std::string name = fmt::format("{}{}", plan.version == 2 ? "" : "c/", number);
  for (std::size_t i = 1; i < plan.shape.size(); ++i) name += plan.version == 2 ? ".0" : "/0";
  return name;
}

}  // namespace feedrate
