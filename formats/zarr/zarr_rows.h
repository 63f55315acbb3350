// SPDX-License-Identifier: Apache-2.0
// The rows of a Zarr array, out of its chunks.
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

/// One thread. Keeps the last file open and the last chunk decoded; of a chunk that is not
/// compressed only the rows asked for are read, unless it is an object. Allocates nothing after its
/// largest chunk.
class ZarrRows {
 public:
  /// `array` is one without problem, and outlives it.
  ZarrRows(const ZarrArray& array, const ReadOptions& options);

  /// Row `index`, and those behind it in the same chunk as far as `most` allows, but no more than
  /// a buffer's. Valid until the next call. Throws FormatError naming file and row.
  /// REQUIRES: index + most <= array.shape.front()
  [[nodiscard]] Bytes read(std::uint64_t index, std::uint64_t most = 1);

  /// Asks storage for what read() is going to want of these rows. Of shards it does not know yet
  /// where that is.
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
  DataLocation location_;  ///< of the row that is read; its memory is used again
  bool in_objects_;        ///< a chunk is an object of a server, read whole by one request
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
