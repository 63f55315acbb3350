// SPDX-License-Identifier: Apache-2.0
// Compressing chunks of Zarr, and back, by libdeflate, libzstd and libblosc.
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

/// One thread. Keeps the libraries' working memory, so that a chunk costs no more than decoding it;
/// blosc takes some for each chunk.
class ZarrDecoder {
 public:
  ZarrDecoder();
  ~ZarrDecoder();

  /// What `encoded` was before `codecs` took it: `size` bytes, valid until the next call. Throws
  /// FormatError at `location` if it is damaged or anything but `size` bytes.
  [[nodiscard]] Bytes decode(Bytes encoded, std::span<const ZarrCodec> codecs, std::size_t size,
                             const DataLocation& location);

 private:
  struct Libraries;
  std::unique_ptr<Libraries> libraries_;
  ReadBuffer decoded_;
};

/// What a writer makes of chunks.
struct ZarrCompression {
  std::string_view name;  ///< as users say it
  bool is_any;            ///< else chunks lie as they are
  ZarrCodec codec;
  std::string_view blosc_compressor;  ///< inside blosc
};

inline constexpr std::array<ZarrCompression, 5> kZarrCompressions{{
    {"none", false, {}, {}},
    {"gzip", true, ZarrCodec::kGzip, {}},
    {"zstd", true, ZarrCodec::kZstd, {}},
    {"blosc-lz4", true, ZarrCodec::kBlosc, "lz4"},
    {"blosc-zstd", true, ZarrCodec::kBlosc, "zstd"},
}};

/// Of zarr-python 3.
inline constexpr int kZarrGzipLevel = 5;
inline constexpr int kZarrZstdLevel = 0;
inline constexpr int kZarrBloscLevel = 5;

/// `bytes` as `compression` stores them; `element_bytes` is what blosc shuffles by.
[[nodiscard]] std::vector<std::byte> compress_zarr_chunk(const ZarrCompression& compression,
                                                         Bytes bytes, std::size_t element_bytes);

[[nodiscard]] std::string_view to_string(ZarrCodec codec) noexcept;

}  // namespace feedrate
