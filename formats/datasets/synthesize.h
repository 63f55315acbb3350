// SPDX-License-Identifier: Apache-2.0
// Makes datasets of synthetic images, or of opaque records. Functions may be called from any
// thread.
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

/// What the user asked; what is left open the preset says.
struct MakeOptions {
  std::string preset = "cifar10-like";
  std::size_t count = 10000;
  std::uint64_t seed = 0;
  std::optional<ImageSize> size;  ///< of all images
  std::optional<ImageEncoding> encoding;
  std::optional<int> quality;  ///< of JPEG, 1 to 100
  std::optional<std::size_t> classes;
  std::optional<std::size_t> record_bytes;  ///< of opaque records: the mean
  std::size_t record_bytes_stdev = 0;       ///< and the standard deviation
  std::size_t chunk = 1;                    ///< as in WriterOptions, and the next
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;  ///< tar in a folder: start a new shard beyond
};

/// The same with nothing left open.
struct DatasetPlan {
  std::size_t count = 0;
  std::uint64_t seed = 0;
  ImageEncoding encoding = ImageEncoding::kPng;
  int quality = 0;
  std::vector<SizeShare> sizes;
  std::vector<std::string> class_names;
  SceneStyle style = {};
  std::optional<OpaqueRecords> opaque = std::nullopt;  ///< records that are no images instead
};

/// Throws ConfigError naming the option, by its flag, that is out of range.
[[nodiscard]] DatasetPlan resolve(const MakeOptions& options);

/// Record `index` of the dataset: its content is a function of (plan.seed, index), style, size and
/// encoding; its label is index mod classes, its key "class/index". An opaque record has no label.
/// REQUIRES: kind is Payload::kBytes exactly where plan.opaque is set
[[nodiscard]] OwnedRecord make_record(const DatasetPlan& plan, std::size_t index, Payload kind);

struct MakeResult {
  std::size_t records = 0;
  std::uint64_t bytes = 0;  ///< payload
  std::size_t classes = 0;
};

/// Makes the dataset at `path` in the named format. The same bytes at any number of threads.
MakeResult make_dataset(const MakeOptions& options, const std::filesystem::path& path,
                        std::string_view format, const Job& job);

}  // namespace feedrate
