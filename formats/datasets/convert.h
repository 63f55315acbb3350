// SPDX-License-Identifier: Apache-2.0
// Converts a dataset to another format: same records, labels, keys, class names and order.
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
  std::string format = {};   ///< a name of the registry
  bool decode_check = true;  ///< whether images that stay encoded must decode
  bool strict = false;       ///< the first record that cannot be used ends it with FormatError
  std::size_t chunk = 1;     ///< as in WriterOptions, and the next
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;  ///< tar in a folder: start a new shard beyond
  /// Number of points of each cloud, drawn once (loaders/decode/points_pipeline.h); else all.
  std::optional<std::size_t> sample_points = std::nullopt;
};

struct ConvertResult {
  std::size_t records = 0;
  std::uint64_t bytes = 0;           ///< payload written
  std::vector<std::string> skipped;  ///< one message a record left out; names file and record
};

/// Encoded images keep their bytes; pixels become PNG where the target holds encoded images, and
/// images become pixels where it holds those; all must then have one shape where the target says
/// so: FormatError otherwise. Opaque bytes stay as they are, unless points are sampled. Throws
/// FormatError if no record is left, ConfigError if `target` exists. Whatever it throws, `target`
/// is not there afterwards.
ConvertResult convert_dataset(const RecordReader& source, const std::filesystem::path& target,
                              const ConvertOptions& options, const Job& job);

/// The format that the suffix of `target` tells: "tar" of "a.tar", "folder" where there is none.
[[nodiscard]] std::string_view guess_format(const std::filesystem::path& target);

}  // namespace feedrate
