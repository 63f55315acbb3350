// SPDX-License-Identifier: Apache-2.0
// A dataset in the format that a sweep needs: converted once, into a folder next to it.
//
//   data/photos                             the dataset, a folder of files
//   data/photos.feedrate/                   its cache; can be deleted at any time
//   data/photos.feedrate/tar/photos.tar     the same records in another format
//   data/photos.feedrate/tar/source.txt     stamp of the source, and skipped records
//   data/photos.feedrate/tar.lock           locked (flock) by the converting process
//   data/clouds.feedrate/npz-2048-points/   with 2048 points per cloud, drawn once
//   data/photos.feedrate/zarr-chunk-16-zstd/   in chunks of 16 samples, compressed by zstd
//
// Functions may be called from any thread and any number of processes.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/datasets/job.h"
#include "formats/record_reader.h"

namespace feedrate {

struct PreparedDataset {
  std::filesystem::path path;  ///< the dataset to open
  bool converted = false;      ///< whether this call made the copy
  /// A message for each record that is not in the copy because it cannot be decoded. Also known for
  /// a reused copy.
  std::vector<std::string> skipped = {};
  std::string left_out = {};  ///< RecordReader::left_out() of the source
};

/// Options of a copy beyond its format.
struct CopyOptions {
  std::optional<std::size_t> sample_points = std::nullopt;  ///< points per cloud, drawn once
  std::size_t chunk = 0;                                    ///< as in ConvertOptions; 0: default
  std::string codec = {};  ///< as in ConvertOptions; empty: default

  friend bool operator==(const CopyOptions&, const CopyOptions&) = default;
};

/// Returns the dataset at `path` itself if its format is `wanted` and `options` is empty, else its
/// copy in the cache. Makes the copy if it is missing or the dataset has changed; a failed or
/// interrupted conversion leaves nothing. Throws ConfigError if the cache is not writable or
/// belongs neither to this user nor to root, FormatError if the format cannot hold the dataset.
[[nodiscard]] PreparedDataset prepare_dataset(const std::filesystem::path& path,
                                              std::string_view wanted, const Job& job,
                                              const CopyOptions& options = {});

/// A few lines of text that change with the format, the number of records, the class names, and the
/// names, sizes and times of all files. `path` is the path that `reader` was opened from.
[[nodiscard]] std::string source_stamp(const RecordReader& reader,
                                       const std::filesystem::path& path);

}  // namespace feedrate
