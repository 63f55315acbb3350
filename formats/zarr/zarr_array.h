// SPDX-License-Identifier: Apache-2.0
// The metadata of a Zarr array of version 2 or 3, in plain values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

/// Codecs from bytes to bytes.
enum class ZarrCodec { kGzip, kZlib, kZstd, kBlosc, kCrc32c };

/// Layout of a shard: a file with many chunks and their index.
struct ZarrShards {
  std::uint64_t rows = 1;       ///< rows per chunk
  bool index_first = false;     ///< at the beginning of the file, else at its end
  bool index_checksum = false;  ///< a CRC-32C follows the index
};

/// A row is all that one index of the first dimension selects. Chunks hold whole rows.
struct ZarrArray {
  std::string metadata;           ///< path of .zarray or zarr.json, for messages
  std::string chunk_prefix = {};  ///< path of a chunk's file up to its number
  std::string chunk_suffix = {};  ///< the rest of the path: "/0/0/0"
  std::string type = {};          ///< NumPy's name, for messages: "uint8"
  bool is_integer = false;        ///< little-endian, of 1, 2, 4 or 8 bytes
  bool is_signed = false;
  std::size_t element_bytes = 0;  ///< 0 if not a number
  std::vector<std::uint64_t> shape = {};
  std::uint64_t file_rows = 1;                      ///< rows a file
  std::optional<ZarrShards> shards = std::nullopt;  ///< none: each file is one chunk
  std::vector<ZarrCodec> codecs = {};               ///< in the order of writing
  std::uint64_t fill = 0;                           ///< bits of the elements of absent chunks

  [[nodiscard]] std::uint64_t chunk_rows() const noexcept {
    return shards ? shards->rows : file_rows;
  }
};

/// REQUIRES: the product does not overflow, which read_zarr_group() checks
[[nodiscard]] std::size_t row_bytes(const ZarrArray& array) noexcept;
[[nodiscard]] std::string chunk_path(const ZarrArray& array, std::uint64_t file);

/// "uint8 10×32×32×3"
[[nodiscard]] std::string to_string(const ZarrArray& array);

}  // namespace feedrate
