// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/zarr_codecs.h"

#include <cstdlib>
#include <sstream>

#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

const DataLocation kHere{.file = "image/c/0", .record = 7};

/// The data of make_zarr_chunks.py.
std::string golden_data() {
  std::string data;
  for (unsigned i = 0; i < 600; ++i) data.push_back(static_cast<char>(i * i % 251));
  return data;
}

ZarrCodec codec_named(const std::string& name) {
  for (const ZarrCodec codec : {ZarrCodec::kGzip, ZarrCodec::kZlib, ZarrCodec::kZstd,
                                ZarrCodec::kBlosc, ZarrCodec::kCrc32c}) {
    if (to_string(codec) == name) return codec;
  }
  ADD_FAILURE() << name;
  return {};
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::strtol(hex.substr(i, 2).c_str(), nullptr, 16)));
  }
  return bytes;
}

struct GoldenChunk {
  ZarrCodec codec;
  std::string name;
  std::string bytes;
};

std::vector<GoldenChunk> golden_chunks() {
  std::istringstream lines(read_file(FEEDRATE_SOURCE_DIR "/tests/golden/formats/zarr_chunks.txt"));
  std::vector<GoldenChunk> chunks;
  std::string name, description, hex;
  while (lines >> name >> description >> hex) {
    chunks.push_back({codec_named(name), name + " " + description, from_hex(hex)});
  }
  return chunks;
}

Bytes view(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string decode(const std::string& chunk, const std::vector<ZarrCodec>& codecs,
                   std::size_t size) {
  ZarrDecoder decoder;
  return text_of(decoder.decode(view(chunk), codecs, size, kHere));
}

std::string error_of(const std::string& chunk, const std::vector<ZarrCodec>& codecs,
                     std::size_t size) {
  return message_of<FormatError>([&] { (void)decode(chunk, codecs, size); });
}

TEST(ZarrCodecs, decode_what_numcodecs_encodes) {
  const auto chunks = golden_chunks();
  EXPECT_EQ(chunks.size(), 17U);
  for (const GoldenChunk& chunk : chunks) {
    EXPECT_EQ(decode(chunk.bytes, {chunk.codec}, 600), golden_data()) << chunk.name;
  }
}

TEST(ZarrCodecs, refuse_a_chunk_of_another_size) {
  for (const GoldenChunk& chunk : golden_chunks()) {
    for (const std::size_t size : {599U, 601U, 0U, 100'000U}) {
      EXPECT_THAT(error_of(chunk.bytes, {chunk.codec}, size),
                  HasSubstr("image/c/0: record 7: " + std::string(chunk.codec == ZarrCodec::kCrc32c
                                                                      ? "the chunk has 600 bytes"
                                                                      : to_string(chunk.codec))))
          << chunk.name << ' ' << size;
    }
  }
  const std::string blosc =
      text_of(compress_zarr_chunk(kZarrCompressions[3], view(golden_data()), 1));
  EXPECT_THAT(error_of(blosc, {ZarrCodec::kBlosc}, 601), HasSubstr("it has 600 bytes, not 601"));
}

TEST(ZarrCodecs, refuse_a_truncated_or_damaged_chunk) {
  for (const GoldenChunk& chunk : golden_chunks()) {
    for (std::size_t size = 0; size < chunk.bytes.size(); size += 1 + size / 3) {
      EXPECT_THAT(error_of(chunk.bytes.substr(0, size), {chunk.codec}, 600),
                  HasSubstr("the chunk is damaged"))
          << chunk.name << ' ' << size;
    }
    EXPECT_THAT(error_of(std::string(600, 'x'), {chunk.codec}, 600),
                HasSubstr("the chunk is damaged"))
        << chunk.name;
  }
}

TEST(ZarrCodecs, decode_in_reverse_order_of_writing) {
  const std::string data = golden_data();
  const auto zstd = compress_zarr_chunk(kZarrCompressions[2], view(data), 1);
  const std::string with_crc = golden_chunks().back().bytes;
  // A checksum that precedes the compressor is compressed with the data.
  const auto packed_crc = compress_zarr_chunk(kZarrCompressions[2], view(with_crc), 1);
  EXPECT_EQ(decode(text_of(packed_crc), {ZarrCodec::kCrc32c, ZarrCodec::kZstd}, 600), data);
  EXPECT_THAT(error_of(text_of(zstd), {ZarrCodec::kCrc32c, ZarrCodec::kZstd}, 600),
              HasSubstr("zstd: the chunk is damaged: it has 600 bytes, not 604"));
  EXPECT_THAT(error_of(text_of(zstd), {ZarrCodec::kZstd, ZarrCodec::kCrc32c}, 600),
              HasSubstr("crc32c: the chunk is damaged: its checksum does not match"));
}

TEST(ZarrCodecs, round_trip_each_compression) {
  const std::string data(10'000, 'a');
  for (const ZarrCompression& compression : kZarrCompressions) {
    const auto chunk = compress_zarr_chunk(compression, view(data), 1);
    if (!compression.is_any) {
      EXPECT_EQ(text_of(chunk), data);
      continue;
    }
    EXPECT_LT(chunk.size(), data.size() / 10) << compression.name;
    EXPECT_EQ(decode(text_of(chunk), {compression.codec}, data.size()), data) << compression.name;
  }
}

TEST(ZarrCodecs, shuffle_elements_of_several_bytes_by_their_size) {
  std::string data;
  for (unsigned i = 0; i < 4096; ++i) data += std::string{static_cast<char>(i), '\0', '\0', '\0'};
  const auto chunk = compress_zarr_chunk(kZarrCompressions[3], view(data), 4);
  // Offsets and flags of blosc's header.
  constexpr std::size_t kFlagsByte = 2;
  constexpr std::size_t kTypesizeByte = 3;
  constexpr int kShuffled = 1;
  constexpr int kBitShuffled = 4;
  EXPECT_TRUE((std::to_integer<int>(chunk[kFlagsByte]) & kShuffled) != 0);
  EXPECT_TRUE(
      (std::to_integer<int>(compress_zarr_chunk(kZarrCompressions[3], view(data), 1)[kFlagsByte]) &
       kBitShuffled) != 0);
  EXPECT_EQ(std::to_integer<int>(chunk[kTypesizeByte]), 4);
  EXPECT_EQ(decode(text_of(chunk), {ZarrCodec::kBlosc}, data.size()), data);
}

}  // namespace
}  // namespace feedrate::testing
