// SPDX-License-Identifier: Apache-2.0
// feedrate data convert SRC DST: converts a dataset to another format.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "core/host/console.h"

namespace feedrate {

struct DataConvertOptions {
  std::filesystem::path source;  ///< SRC: a dataset of any format, detected by path and content
  std::filesystem::path target;  ///< DST: the new dataset; must not exist
  std::string format = {};       ///< --format; empty: by the suffix of DST, else folder
  bool strict = false;           ///< --strict: fail at the first record that cannot be decoded
  bool decode_check = true;      ///< --no-decode-check: copy images without decoding them once
  std::size_t chunk = 1;         ///< --chunk: samples per chunk of hdf5-decoded and zarr
  std::string codec = "none";    ///< --codec: compression of zarr's chunks
  int zarr_format = 3;           ///< --zarr-format
  std::size_t shard_bytes = std::size_t{1}
                            << 30;  ///< --shard-bytes: size at which a new tar shard begins
  std::optional<std::size_t> sample_points = {};  ///< --sample-points per cloud; default: all
  unsigned threads = 0;                           ///< --threads; 0: one per CPU
};

/// Names skipped records on stderr; returns kExitOk nevertheless, unless strict. Throws Cancelled
/// on Ctrl-C. After any exception DST does not exist.
[[nodiscard]] int run_data_convert(const DataConvertOptions& options, Console& console);

}  // namespace feedrate
