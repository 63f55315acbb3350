// SPDX-License-Identifier: Apache-2.0
// A dataset in the format that a sweep asks for: converted once, into a folder beside it.
//
//   data/photos                             the dataset, here a folder of files
//   data/photos.feedrate/                   its cache; may be deleted at any time
//   data/photos.feedrate/tar/photos.tar     the same records in another format
//   data/photos.feedrate/tar/source.txt     what it was made of, and which records were left out
//   data/photos.feedrate/tar.lock           held (flock) by the process that converts
//   data/clouds.feedrate/npz-2048-points/   N points of each cloud, drawn once
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

namespace feedrate {

struct PreparedDataset {
  std::filesystem::path path;  ///< open this
  bool converted = false;      ///< by this call; otherwise it was there
  /// Records that the dataset at `path` lacks because they cannot be decoded, one message each: the
  /// two datasets then differ. Known for a reused copy too.
  std::vector<std::string> skipped = {};
  std::string left_out = {};  ///< of the dataset itself, as RecordReader::left_out()
};

/// How a copy differs from what its format alone says.
struct CopyOptions {
  std::optional<std::size_t> sample_points = std::nullopt;  ///< of each cloud, drawn once
  std::size_t chunk = 0;                                    ///< as in ConvertOptions; 0: by default
  std::string codec = {};                                   ///< the same; empty: by default

  friend bool operator==(const CopyOptions&, const CopyOptions&) = default;
};

/// The dataset at `path` itself if it is in the format `wanted`, otherwise its copy in the cache,
/// made again if missing or if the dataset has changed since. An interrupted or failed conversion
/// leaves nothing. With `options` always a copy.
/// Throws ConfigError if the cache cannot be written or is another user's, but for root's;
/// FormatError if the dataset cannot be held by the format.
[[nodiscard]] PreparedDataset prepare_dataset(const std::filesystem::path& path,
                                              std::string_view wanted, const Job& job,
                                              const CopyOptions& options = {});

}  // namespace feedrate
