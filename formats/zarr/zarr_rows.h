// SPDX-License-Identifier: Apache-2.0
// Reads rows of a Zarr array from its chunks.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/host/file.h"
#include "core/units.h"
#include "formats/packed_file.h"
#include "formats/read_options.h"
#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_codecs.h"

namespace feedrate {

/// Used by one thread. Keeps the last file open and the last chunk decoded. Reads only the
/// requested rows of an uncompressed chunk, unless it is an object. Allocates nothing after its
/// largest chunk.
class ZarrRows {
 public:
  /// `array` has no problem, and outlives this.
  ZarrRows(const ZarrArray& array, const ReadOptions& options);

  /// Reads row `index` and up to `most` - 1 rows that follow in the same chunk, limited to 1 MiB.
  /// Valid until the next call. Throws FormatError naming file and row.
  [[nodiscard]] Bytes read(std::uint64_t index, std::uint64_t most = 1);

  /// Prefetches what read() will need for these rows. Does nothing for shards, whose index is not
  /// read yet.
  void expect(std::span<const std::uint64_t> indices);

 private:
  struct Extent {
    std::uint64_t offset;
    std::uint64_t size;
  };

  void open_file();
  void fetch_object(std::uint64_t number);
  void read_index();
  [[nodiscard]] std::optional<Extent> find_chunk(std::uint64_t in_file) const;
  [[nodiscard]] Bytes read_rows(const Extent& chunk, std::uint64_t row, std::uint64_t count);
  void decode_chunk(Bytes encoded);
  [[nodiscard]] Bytes fill_rows(std::uint64_t count);
  [[nodiscard]] Bytes read_exactly(std::uint64_t offset, std::uint64_t size);

  const ZarrArray& array_;
  ReadOrder order_;
  std::uint64_t row_bytes_;
  DataLocation location_;  ///< of the current row; reuses its memory
  bool in_objects_;        ///< each chunk is an object, read by one request
  std::optional<std::uint64_t> file_number_;
  PackedFile file_;
  bool has_file_ = false;
  std::vector<Extent> index_;  ///< of the chunks of a shard
  std::optional<std::uint64_t> decoded_chunk_;
  Bytes chunk_;
  PackedReads reads_;
  ReadBuffer fill_;
  ZarrDecoder decoder_;
  std::string expected_path_;
};

}  // namespace feedrate
