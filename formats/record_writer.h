// SPDX-License-Identifier: Apache-2.0
// Writes a dataset record by record.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/image_shape.h"
#include "formats/record.h"

namespace feedrate {

/// Options of a writer. Each writer ignores those that do not concern it.
struct WriterOptions {
  std::vector<std::string> class_names = {};  ///< by label
  std::size_t records = 0;                    ///< number of records; 0 if unknown
  std::optional<ImageShape> shape =
      std::nullopt;  ///< of every record; required if Format::one_shape
  std::size_t shard_bytes = std::size_t{1} << 30;  ///< maximum size of a shard
  std::size_t chunk = 1;                           ///< hdf5-decoded, zarr: samples a chunk
  std::string codec = "none";  ///< zarr: none, gzip, zstd, blosc-lz4 or blosc-zstd
  int zarr_format = 3;         ///< zarr: version of the storage format, 2 or 3
};

/// Used by one thread. Writes under a temporary name: finish() publishes the whole dataset; the
/// destructor of an unfinished writer removes what it wrote.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  /// Records keep the order in which they are appended. Throws FormatError for a record that this
  /// format cannot hold, SystemError if the system refuses (disk full).
  virtual void append(const Record& record) = 0;
  virtual void finish() = 0;
};

}  // namespace feedrate
