// SPDX-License-Identifier: Apache-2.0
// Converts a dataset to another format: with the same records, labels, keys, class names and order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/record_reader.h"

namespace feedrate {

struct ConvertOptions {
  std::string format = {};   ///< name in the registry
  bool decode_check = true;  ///< skip encoded images that do not decode
  bool strict = false;       ///< throw FormatError instead of skipping a record
  std::size_t chunk = 1;     ///< as in WriterOptions, as the next three
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;
  /// Points per cloud, drawn once (loaders/decode/points_pipeline.h); all if empty.
  std::optional<std::size_t> sample_points = std::nullopt;
};

struct ConvertResult {
  std::size_t records = 0;
  std::uint64_t bytes = 0;           ///< payload written
  std::vector<std::string> skipped;  ///< a message per skipped record, with file and index
};

/// Encoded images keep their bytes. Pixels become PNG for a target of encoded images; images become
/// pixels for a target of pixels, and must have one shape if Format::one_shape. Opaque bytes are
/// copied, unless points are sampled. Throws FormatError for different shapes or if no record is
/// left, ConfigError if `target` exists. After an exception there is no `target`.
ConvertResult convert_dataset(const RecordReader& source, const std::filesystem::path& target,
                              const ConvertOptions& options, const Job& job);

/// The format by the suffix of `target`: "tar" for "a.tar", "folder" if there is none.
[[nodiscard]] std::string_view guess_format(const std::filesystem::path& target);

}  // namespace feedrate
