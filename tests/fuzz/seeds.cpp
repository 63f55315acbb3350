// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "analysis/report/json.h"
#include "bench/plan/cost_profile.h"
#include "core/crc32c.h"
#include "core/host/file.h"
#include "core/random.h"
#include "formats/lmdb/layout.h"
#include "formats/npy/npy_header.h"
#include "formats/npz/npz_archive.h"
#include "formats/registry.h"
#include "formats/tar/shard_index.h"
#include "formats/zarr/zarr_codecs.h"
#include "tests/fuzz/harness.h"
#include "tests/support/put_number.h"
#include "tests/support/temp_folder.h"

namespace feedrate::fuzz {
namespace {

namespace fs = std::filesystem;
using testing::put;
using testing::TempFolder;
using Seeds = std::vector<Seed>;

constexpr std::uint64_t kLargestSeed = 1U << 16;

fs::path source(std::string_view path) { return fs::path(FEEDRATE_SOURCE_DIR) / path; }

/// The files in `folder` with this extension, by name; none if there is no such folder.
Seeds files_in(const fs::path& folder, std::string_view extension) {
  Seeds seeds;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !name.ends_with(extension)) continue;
    seeds.push_back({name, read_text_file(entry.path().string(), kLargestSeed)});
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

std::string jpeg_like() { return "\xFF\xD8\xFF\xE0 what no decoder looks at"; }
std::string png_like() { return "\x89PNG\r\n\x1A\n nor at this"; }

/// Two records, written by the format's writer; returns the content of `file`.
Seeds dataset(const char* format_name, const fs::path& name, const fs::path& file) {
  const TempFolder folder;
  const Format& format = find_format(format_name);
  const std::string cat = jpeg_like();
  const std::string dog = png_like();
  const auto writer =
      format.create(folder.path() / name, {.class_names = {"cat", "dog"}, .records = 2});
  writer->append({.payload = bytes_of(cat), .label = 0, .key = "cat/0001"});
  writer->append({.payload = bytes_of(dog), .label = 1, .key = "dog/0002"});
  writer->finish();
  return {{"two_records", read_text_file((folder.path() / file).string(), kLargestSeed)}};
}

/// Two images and their labels, in the layout of tests/fuzz/targets/zarr.cpp.
std::string zarr_group(char version, const std::string& codec) {
  const TempFolder folder;
  const fs::path root = folder / "data.zarr";
  const ImageShape shape{.height = 4, .width = 4, .channels = 3};
  const std::string pixels(shape.size(), '\x07');
  const auto writer = find_format("zarr").create(root, {.class_names = {"cat"},
                                                        .shape = shape,
                                                        .chunk = 2,
                                                        .codec = codec,
                                                        .zarr_format = version - '0'});
  for (const std::string key : {"a", "b"}) {
    writer->append({.payload = bytes_of(pixels),
                    .label = 0,
                    .key = key,
                    .kind = Payload::kPixels,
                    .shape = shape});
  }
  writer->finish();
  const bool is_v3 = version == '3';
  const auto text = [&](const char* v3, const char* v2) {
    return read_text_file((root / (is_v3 ? v3 : v2)).string(), kLargestSeed);
  };
  const std::string labels = text("label/c/0", "label/0");
  return version + text("zarr.json", ".zattrs") + '\0' + text("image/zarr.json", "image/.zarray") +
         '\0' + text("label/zarr.json", "label/.zarray") + '\0' + static_cast<char>(labels.size()) +
         labels + text("image/c/0/0/0/0", "image/0.0.0.0");
}

/// Changes a plain group of version 3: puts its chunk of images into a shard.
std::string zarr_shard(std::string group) {
  constexpr std::string_view kCodecs = R"("codecs": [)";
  constexpr std::string_view kShards =
      R"("codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 4, 4, 3], )"
      R"("codecs": ["bytes"], "index_codecs": ["bytes"]}}], "unused": [)";
  group.replace(group.find(kCodecs), kCodecs.size(), kShards);
  put(group, std::uint64_t{0});
  put(group, std::uint64_t{2 * 4 * 4 * 3});
  return group;
}

/// The index without the shard's size and time in front and the checksum at the end.
Seeds tar_index_seeds() {
  const ShardIndex index{.records = {{"cat/0001.jpg", 512, 30, 0}, {"dog/0002.png", 2048, 30, 1}},
                         .ignored = 1};
  const std::string whole = format_shard_index(index, PackedFile());
  constexpr std::size_t kHeader = 24;
  constexpr std::size_t kChecksum = 8;
  return {{"two_records", whole.substr(kHeader, whole.size() - kHeader - kChecksum)}};
}

Seeds npy_seeds() {
  const ImageShape shape{.height = 2, .width = 3, .channels = 3};
  return {{"image", format_npy_header(shape) + std::string(shape.size(), '\x07')},
          {"numbers", format_npy_header("<i8", 2) + std::string(16, '\0')}};
}

Seeds npz_seeds() { return {{"record", format_npz(bytes_of("opaque bytes"), 3)}}; }

Seeds lmdb_layout_seeds() {
  const std::string image = jpeg_like();
  const auto value = encode_lmdb_value({.payload = bytes_of(image), .label = 1, .key = "dog/0002"});
  return {{"value", std::string(text_of(value))},
          {"manifest", format_lmdb_manifest({.records = 2, .class_names = {"cat", "dog"}})}};
}

/// Inputs for the decisions of hdf5.cpp.
Seeds hdf5_seeds() {
  constexpr int kRecipes = 24;
  Seeds seeds{{"colored", std::string("\x01\x03\x02\x02\x01\x01", 6)}};
  RandomStream random(1);
  for (int i = 0; i < kRecipes; ++i) {
    std::string bytes;
    for (int j = 0; j < 64; ++j) bytes.push_back(static_cast<char>(random.below(256)));
    seeds.push_back({"recipe_" + std::to_string(i), std::move(bytes)});
  }
  return seeds;
}

/// A gzip file with one stored block.
std::string gzipped(const std::string& text) {
  std::string bytes("\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01", 11);
  const auto size = static_cast<std::uint16_t>(text.size());
  put(bytes, size);
  put(bytes, static_cast<std::uint16_t>(~size));
  bytes += text;
  put(bytes, crc32(bytes_of(text)));
  put(bytes, static_cast<std::uint32_t>(text.size()));
  return bytes;
}

Seeds trace_seeds() {
  Seeds seeds = files_in(source("tests/golden/profile"), ".json");
  for (std::size_t i = 0, count = seeds.size(); i < count; ++i) {
    seeds.push_back({seeds[i].name + ".gz", gzipped(seeds[i].bytes)});
  }
  return seeds;
}

Seeds run_journal_seeds() {
  CellResult cell;
  cell.index = 1;
  cell.outcome = Outcome::kOk;
  cell.metrics = {{"samples_per_second", 12345.0}};
  cell.repeats.resize(1);
  cell.repeats[0].metrics = cell.metrics;
  cell.repeats[0].series["loading_time"] = {0.25, 0.5};
  return {{"one_start", start_to_json(cell)}};
}

Seeds config_seeds() {
  Seeds seeds = files_in(source("configs"), ".yaml");
  for (Seed& seed : files_in(source("configs/mlperf"), ".yaml")) {
    seeds.push_back({"mlperf_" + seed.name, std::move(seed.bytes)});
  }
  return seeds;
}

/// Groups with each codec in both versions, and a shard.
Seeds zarr_seeds() {
  Seeds seeds;
  for (const char version : {'2', '3'}) {
    for (const ZarrCompression& compression : kZarrCompressions) {
      seeds.push_back({fmt::format("v{}_{}", version, compression.name),
                       zarr_group(version, std::string(compression.name))});
    }
  }
  seeds.push_back({"shard", zarr_shard(seeds[5].bytes)});
  return seeds;
}

struct Maker {
  std::string_view target;
  Seeds (*make)();
};

constexpr std::array kMakers{
    Maker{"cells_csv", [] { return files_in(source("tests/golden/report"), "cells.csv"); }},
    Maker{"config", config_seeds},
    Maker{"cost_profile",
          [] {
            return Seeds{{"zeros", to_yaml(CostProfile())}};
          }},
    Maker{"hdf5", hdf5_seeds},
    Maker{"jpeg", [] { return files_in(source("tests/golden/decode"), ".jpg"); }},
    Maker{"lmdb", [] { return dataset("lmdb", "data.lmdb", "data.lmdb/data.mdb"); }},
    Maker{"lmdb_layout", lmdb_layout_seeds},
    Maker{"npy", npy_seeds},
    Maker{"npz", npz_seeds},
    Maker{"png", [] { return files_in(source("tests/golden/decode"), ".png"); }},
    Maker{"run_journal", run_journal_seeds},
    Maker{"run_json", [] { return files_in(source("tests/golden/report"), "run.json"); }},
    Maker{"tar", [] { return dataset("tar", "data.tar", "data.tar"); }},
    Maker{"tar_index", tar_index_seeds},
    Maker{"tfrecord", [] { return dataset("tfrecord", "data.tfrecord", "data.tfrecord"); }},
    Maker{"trace", trace_seeds},
    Maker{"zarr", zarr_seeds},
    Maker{"zip", [] { return dataset("zip", "data.zip", "data.zip"); }},
};

}  // namespace

std::vector<Seed> seeds_of(std::string_view target) {
  Seeds seeds = files_in(source("tests/fuzz/corpus") / target, "");
  for (const Maker& maker : kMakers) {
    if (maker.target != target) continue;
    for (Seed& seed : maker.make()) seeds.push_back(std::move(seed));
  }
  return seeds;
}

}  // namespace feedrate::fuzz
