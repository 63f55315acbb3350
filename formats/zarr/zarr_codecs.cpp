// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_codecs.h"

#include <algorithm>
#include <string>

#include <blosc.h>
#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>

#include "core/crc32c.h"
#include "formats/load.h"

namespace feedrate {
namespace {

constexpr std::size_t kCrcBytes = sizeof(std::uint32_t);

[[noreturn]] void fail_decode(ZarrCodec codec, std::string_view problem,
                              const DataLocation& location) {
  throw FormatError(location,
                    fmt::format("{}: the chunk is damaged: {}", to_string(codec), problem));
}

void unpack_deflate(libdeflate_decompressor* library, ZarrCodec codec, Bytes in, MutableBytes out,
                    const DataLocation& location) {
  const auto unpack =
      codec == ZarrCodec::kGzip ? libdeflate_gzip_decompress : libdeflate_zlib_decompress;
  const libdeflate_result result =
      unpack(library, in.data(), in.size(), out.data(), out.size(), nullptr);
  if (result == LIBDEFLATE_SUCCESS) return;
  fail_decode(codec,
              result == LIBDEFLATE_BAD_DATA ? std::string("its data are not valid")
                                            : fmt::format("it does not have {} bytes", out.size()),
              location);
}

void unpack_zstd(ZSTD_DCtx* library, Bytes in, MutableBytes out, const DataLocation& location) {
  const std::size_t size =
      ZSTD_decompressDCtx(library, out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(size) != 0) fail_decode(ZarrCodec::kZstd, ZSTD_getErrorName(size), location);
  if (size == out.size()) return;
  fail_decode(ZarrCodec::kZstd, fmt::format("it has {} bytes, not {}", size, out.size()), location);
}

void unpack_blosc(Bytes in, MutableBytes out, const DataLocation& location) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(in.data(), in.size(), &size) != 0) {
    fail_decode(ZarrCodec::kBlosc, "its header is not valid", location);
  }
  if (size != out.size()) {
    fail_decode(ZarrCodec::kBlosc, fmt::format("it has {} bytes, not {}", size, out.size()),
                location);
  }
  constexpr int kThreads = 1;
  const int result = blosc_decompress_ctx(in.data(), out.data(), out.size(), kThreads);
  if (result >= 0 && static_cast<std::size_t>(result) == out.size()) return;
  const char* library = blosc_cbuffer_complib(in.data());
  fail_decode(ZarrCodec::kBlosc,
              fmt::format("error {} with compressor {}", result, library ? library : "unknown"),
              location);
}

Bytes without_crc(Bytes in, const DataLocation& location) {
  if (in.size() < kCrcBytes) fail_decode(ZarrCodec::kCrc32c, "it is too short", location);
  const Bytes data = in.first(in.size() - kCrcBytes);
  if (load<std::uint32_t>(in, data.size()) != crc32c(data)) {
    fail_decode(ZarrCodec::kCrc32c, "its checksum does not match", location);
  }
  return data;
}

std::vector<std::byte> pack_gzip(Bytes in) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> library(
      libdeflate_alloc_compressor(kZarrGzipLevel), libdeflate_free_compressor);
  std::vector<std::byte> out(libdeflate_gzip_compress_bound(library.get(), in.size()));
  out.resize(libdeflate_gzip_compress(library.get(), in.data(), in.size(), out.data(), out.size()));
  return out;
}

std::vector<std::byte> pack_zstd(Bytes in) {
  std::vector<std::byte> out(ZSTD_compressBound(in.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), in.data(), in.size(), kZarrZstdLevel));
  return out;
}

std::vector<std::byte> pack_blosc(Bytes in, const std::string& compressor,
                                  std::size_t element_bytes) {
  std::vector<std::byte> out(in.size() + BLOSC_MAX_OVERHEAD);
  const int shuffle = element_bytes == 1 ? BLOSC_BITSHUFFLE : BLOSC_SHUFFLE;
  constexpr std::size_t kBlockOfItsChoice = 0;
  constexpr int kThreads = 1;
  const int size =
      blosc_compress_ctx(kZarrBloscLevel, shuffle, element_bytes, in.size(), in.data(), out.data(),
                         out.size(), compressor.c_str(), kBlockOfItsChoice, kThreads);
  if (size <= 0) {
    throw Error(fmt::format("blosc: cannot compress {} bytes with {}: error {}", in.size(),
                            compressor, size));
  }
  out.resize(static_cast<std::size_t>(size));
  return out;
}

}  // namespace

struct ZarrDecoder::Libraries {
  std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> deflate{
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> zstd{ZSTD_createDCtx(), ZSTD_freeDCtx};
};

ZarrDecoder::ZarrDecoder() : libraries_(std::make_unique<Libraries>()) {}
ZarrDecoder::~ZarrDecoder() = default;

Bytes ZarrDecoder::decode(Bytes encoded, std::span<const ZarrCodec> codecs, std::size_t size,
                          const DataLocation& location) {
  Bytes bytes = encoded;
  for (std::size_t i = codecs.size(); i-- > 0;) {
    if (codecs[i] == ZarrCodec::kCrc32c) {
      bytes = without_crc(bytes, location);
      continue;
    }
    // A codec's output includes the checksums that earlier codecs had appended.
    const MutableBytes out = decoded_.take(size + i * kCrcBytes);
    if (codecs[i] == ZarrCodec::kZstd) {
      unpack_zstd(libraries_->zstd.get(), bytes, out, location);
    } else if (codecs[i] == ZarrCodec::kBlosc) {
      unpack_blosc(bytes, out, location);
    } else {
      unpack_deflate(libraries_->deflate.get(), codecs[i], bytes, out, location);
    }
    bytes = out;
  }
  if (bytes.size() == size) return bytes;
  throw FormatError(location,
                    fmt::format("the chunk has {} bytes; must have {}", bytes.size(), size));
}

std::vector<std::byte> compress_zarr_chunk(const ZarrCompression& compression, Bytes bytes,
                                           std::size_t element_bytes) {
  if (!compression.is_any) return {bytes.begin(), bytes.end()};
  if (compression.codec == ZarrCodec::kGzip) return pack_gzip(bytes);
  if (compression.codec == ZarrCodec::kZstd) return pack_zstd(bytes);
  return pack_blosc(bytes, std::string(compression.blosc_compressor), element_bytes);
}

std::string_view to_string(ZarrCodec codec) noexcept {
  switch (codec) {
    case ZarrCodec::kGzip:
      return "gzip";
    case ZarrCodec::kZlib:
      return "zlib";
    case ZarrCodec::kZstd:
      return "zstd";
    case ZarrCodec::kBlosc:
      return "blosc";
    case ZarrCodec::kCrc32c:
      break;
  }
  return "crc32c";
}

}  // namespace feedrate
