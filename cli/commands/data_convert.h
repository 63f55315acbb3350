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
  std::filesystem::path source;  ///< SRC: a dataset of any format, told by its path and content
  std::filesystem::path target;  ///< DST: the new dataset; must not exist
  std::string format = {};       ///< --format; empty: told by the suffix of DST, else folder
  bool strict = false;           ///< --strict: the first record that cannot be decoded is an error
  bool decode_check = true;      ///< --no-decode-check: copy images without decoding them once
  std::size_t chunk = 1;         ///< --chunk: samples a chunk of hdf5-decoded and zarr
  std::string codec = "none";    ///< --codec: of the chunks of zarr
  int zarr_format = 3;           ///< --zarr-format
  std::size_t shard_bytes = std::size_t{1} << 30;  ///< --shard-bytes: a new tar shard beyond this
  std::optional<std::size_t> sample_points = {};   ///< --sample-points of each cloud; default all
  unsigned threads = 0;                            ///< --threads; 0: one for each CPU
};

/// Records that are left out are named on stderr; kExitOk all the same, unless strict. Throws
/// Cancelled on Ctrl-C. Whatever it throws, DST is not there.
[[nodiscard]] int run_data_convert(const DataConvertOptions& options, Console& console);

}  // namespace feedrate
