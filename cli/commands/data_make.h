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

struct DataMakeOptions {
  std::filesystem::path target;         ///< DST: the new dataset; must not exist
  std::string format = {};              ///< --format; empty: by the suffix of DST, else folder
  std::string preset = "cifar10-like";  ///< --preset: a name of presets()
  std::size_t count = 10000;            ///< --count: images or records
  std::uint64_t seed = 0;               ///< --seed
  std::string size = {};                ///< --size WxH or N (square); empty: the preset's
  std::string encoding = {};            ///< --encoding png|jpeg; empty: the preset's
  std::optional<int> quality;           ///< --quality of JPEG, 1 to 100; default the preset's, 90
  std::optional<std::size_t> classes;   ///< --classes; default the preset's
  std::optional<std::size_t> record_bytes;  ///< --record-bytes: mean size of opaque records
  std::size_t record_bytes_stdev = 0;       ///< --record-bytes-stdev
  std::size_t chunk = 1;                    ///< --chunk: samples per chunk of hdf5-decoded and zarr
  std::string codec = "none";               ///< --codec: compression of zarr's chunks
  int zarr_format = 3;                      ///< --zarr-format
  std::size_t shard_bytes = std::size_t{1}
                            << 30;  ///< --shard-bytes: size at which a new tar shard begins
  unsigned threads = 0;             ///< --threads; 0: one per CPU
};

/// Throws ConfigError for invalid options, Cancelled on Ctrl-C; DST then does not exist.
[[nodiscard]] int run_data_make(const DataMakeOptions& options, Console& console);

}  // namespace feedrate
