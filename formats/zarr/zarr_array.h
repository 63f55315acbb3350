// SPDX-License-Identifier: Apache-2.0
// What the metadata of a Zarr array say, of version 2 or 3, in plain values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

/// From bytes to bytes.
enum class ZarrCodec { kGzip, kZlib, kZstd, kBlosc, kCrc32c };

/// A file that holds many chunks and an index of them.
struct ZarrShards {
  std::uint64_t rows = 1;       ///< a chunk within the file
  bool index_first = false;     ///< else it ends the file
  bool index_checksum = false;  ///< its CRC-32C follows it
};

/// A row is all that lies under one index of the first dimension. Chunks hold whole rows.
struct ZarrArray {
  std::string metadata;           ///< path of .zarray or zarr.json, for messages
  std::string chunk_prefix = {};  ///< path of a chunk's file, up to its number
  std::string chunk_suffix = {};  ///< what follows the number: "/0/0/0"
  std::string type = {};          ///< for people, as NumPy names them: "uint8"
  bool is_integer = false;        ///< little-endian, of 1, 2, 4 or 8 bytes
  bool is_signed = false;
  std::size_t element_bytes = 0;  ///< 0 where it is no number
  std::vector<std::uint64_t> shape = {};
  std::uint64_t file_rows = 1;                      ///< rows a file
  std::optional<ZarrShards> shards = std::nullopt;  /// else a file is one chunk
  std::vector<ZarrCodec> codecs = {};               ///< of a chunk, in the order of writing
  std::uint64_t fill = 0;                           ///< bits of the elements of chunks without file

  [[nodiscard]] std::uint64_t chunk_rows() const noexcept {
    return shards ? shards->rows : file_rows;
  }
};

/// REQUIRES: row_bytes was checked, as by read_zarr_array()
[[nodiscard]] std::size_t row_bytes(const ZarrArray& array) noexcept;
[[nodiscard]] std::string chunk_path(const ZarrArray& array, std::uint64_t file);

/// "uint8 10×32×32×3"
[[nodiscard]] std::string to_string(const ZarrArray& array);

}  // namespace feedrate
