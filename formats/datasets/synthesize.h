// SPDX-License-Identifier: Apache-2.0
// Makes datasets of synthetic images or opaque records. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/datasets/opaque_record.h"
#include "formats/datasets/owned_record.h"
#include "formats/datasets/presets.h"

namespace feedrate {

/// The user's options; the preset gives those that are empty.
struct MakeOptions {
  std::string preset = "cifar10-like";
  std::size_t count = 10000;
  std::uint64_t seed = 0;
  std::optional<ImageSize> size;  ///< of all images
  std::optional<ImageEncoding> encoding;
  std::optional<int> quality;  ///< of JPEG, 1 to 100
  std::optional<std::size_t> classes;
  std::optional<std::size_t> record_bytes;  ///< mean size of opaque records
  std::size_t record_bytes_stdev = 0;       ///< its standard deviation
  std::size_t chunk = 1;                    ///< as in WriterOptions, as the next three
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;
};

/// MakeOptions with all defaults resolved.
struct DatasetPlan {
  std::size_t count = 0;
  std::uint64_t seed = 0;
  ImageEncoding encoding = ImageEncoding::kPng;
  int quality = 0;
  std::vector<SizeShare> sizes;
  std::vector<std::string> class_names;
  SceneStyle style = {};
  std::optional<OpaqueRecords> opaque =
      std::nullopt;  ///< set: makes these records instead of images
};

/// Throws ConfigError, naming the flag, if an option is out of range.
[[nodiscard]] DatasetPlan resolve(const MakeOptions& options);

/// Makes record `index`. Its content is a function of (plan.seed, index), style, size and encoding;
/// its label is index mod classes, its key "class/index". An opaque record has no label. REQUIRES:
/// kind is Payload::kBytes if and only if plan.opaque is set
[[nodiscard]] OwnedRecord make_record(const DatasetPlan& plan, std::size_t index, Payload kind);

struct MakeResult {
  std::size_t records = 0;
  std::uint64_t bytes = 0;  ///< sum of the payloads
  std::size_t classes = 0;
};

/// Makes the dataset at `path` in the named format. The bytes do not depend on the number of
/// threads.
MakeResult make_dataset(const MakeOptions& options, const std::filesystem::path& path,
                        std::string_view format, const Job& job);

}  // namespace feedrate
