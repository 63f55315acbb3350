// SPDX-License-Identifier: Apache-2.0
// feedrate data convert SRC DST: converts a dataset to another format.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "core/host/console.h"

namespace feedrate {

/// `feedrate data convert --help` describes the options.
struct DataConvertOptions {
  std::filesystem::path source;
  std::filesystem::path target;
  std::string format = {};  ///< empty: by the suffix of DST, else folder
  bool strict = false;
  bool decode_check = true;
  std::size_t chunk = 1;
  std::string codec = "none";
  int zarr_format = 3;
  std::size_t shard_bytes = std::size_t{1} << 30;
  std::optional<std::size_t> sample_points = {};
  unsigned threads = 0;  ///< 0: one per CPU
};

/// Names skipped records on stderr; returns kExitOk nevertheless, unless strict. Throws Cancelled
/// on Ctrl-C. After any exception DST does not exist.
[[nodiscard]] int run_data_convert(const DataConvertOptions& options, Console& console);

}  // namespace feedrate
