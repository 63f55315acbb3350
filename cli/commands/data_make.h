// SPDX-License-Identifier: Apache-2.0
// feedrate data make DST: makes a dataset of synthetic images that compress like photographs, or of
// opaque records.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/host/console.h"

namespace feedrate {

/// `feedrate data make --help` describes the options.
struct DataMakeOptions {
  std::filesystem::path target;
  std::string format = {};  ///< empty: by the suffix of DST, else folder
  std::string preset = "cifar10-like";
  std::size_t count = 10000;
  std::uint64_t seed = 0;
  std::string size = {};               ///< WxH, or N for a square; empty: the preset's
  std::string encoding = {};           ///< png or jpeg; empty: the preset's
  std::optional<int> quality;          ///< of JPEG, 1 to 100; default: the preset's
  std::optional<std::size_t> classes;  ///< default: the preset's
  std::optional<std::size_t> record_bytes;
  std::size_t record_bytes_stdev = 0;
  std::size_t chunk = 1;
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;
  unsigned threads = 0;
};

/// Throws ConfigError for invalid options, Cancelled on Ctrl-C; DST then does not exist.
[[nodiscard]] int run_data_make(const DataMakeOptions& options, Console& console);

}  // namespace feedrate
