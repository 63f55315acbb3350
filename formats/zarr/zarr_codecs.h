// SPDX-License-Identifier: Apache-2.0
// Compresses and decompresses chunks of Zarr, by libdeflate, libzstd and libblosc.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/host/file.h"
#include "core/units.h"
#include "formats/zarr/zarr_array.h"

namespace feedrate {

/// Used by one thread. Keeps the libraries' working memory; only blosc allocates for each chunk.
class ZarrDecoder {
 public:
  ZarrDecoder();
  ~ZarrDecoder();

  /// Reverses `codecs`. Returns `size` bytes, valid until the next call. Throws FormatError at
  /// `location` if `encoded` is damaged or decodes to another size.
  [[nodiscard]] Bytes decode(Bytes encoded, std::span<const ZarrCodec> codecs, std::size_t size,
                             const DataLocation& location);

 private:
  struct Libraries;
  std::unique_ptr<Libraries> libraries_;
  ReadBuffer decoded_;
};

/// A writer's choice of codec.
struct ZarrCompression {
  std::string_view name;  ///< the value of `codec` in the configuration
  bool is_any;            ///< false: chunks are not compressed
  ZarrCodec codec;
  std::string_view blosc_compressor;  ///< the compressor inside blosc
};

inline constexpr std::array<ZarrCompression, 5> kZarrCompressions{{
    {"none", false, {}, {}},
    {"gzip", true, ZarrCodec::kGzip, {}},
    {"zstd", true, ZarrCodec::kZstd, {}},
    {"blosc-lz4", true, ZarrCodec::kBlosc, "lz4"},
    {"blosc-zstd", true, ZarrCodec::kBlosc, "zstd"},
}};

/// Default levels of zarr-python 3.
inline constexpr int kZarrGzipLevel = 5;
inline constexpr int kZarrZstdLevel = 0;
inline constexpr int kZarrBloscLevel = 5;

/// Compresses `bytes`; blosc shuffles by `element_bytes`.
[[nodiscard]] std::vector<std::byte> compress_zarr_chunk(const ZarrCompression& compression,
                                                         Bytes bytes, std::size_t element_bytes);

[[nodiscard]] std::string_view to_string(ZarrCodec codec) noexcept;

}  // namespace feedrate
