// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/decoder.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "core/random.h"
#include "loaders/decode/encoder.h"
#include "tests/loaders/decode/golden.h"
#include "tests/support/matchers.h"

namespace feedrate::testing {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

void decode(Bytes encoded) {
  Image image;
  make_decoder()->decode(encoded, image);
}

std::size_t find(const std::vector<std::byte>& data, std::string_view text) {
  const std::vector<std::byte> wanted = bytes_of(text);
  const auto at = std::search(data.begin(), data.end(), wanted.begin(), wanted.end());
  EXPECT_NE(at, data.end());
  return static_cast<std::size_t>(at - data.begin());
}

std::vector<std::byte> inserted(std::vector<std::byte> data, std::size_t at,
                                std::string_view text) {
  const std::vector<std::byte> extra = bytes_of(text);
  data.insert(data.begin() + static_cast<std::ptrdiff_t>(at), extra.begin(), extra.end());
  return data;
}

TEST(Decoder, gives_the_pixels_that_pillow_gives_for_every_kind_of_image) {
  const std::vector<golden::Expected> all = golden::expected("rgb");
  ASSERT_GE(all.size(), 45U);
  for (const golden::Expected& expected : all) {
    SCOPED_TRACE(to_string(expected));
    const Image image = golden::decode(expected.file);
    EXPECT_EQ(image.shape, (ImageShape{expected.height, expected.width, 3}));
    EXPECT_EQ(golden::checksum(image), expected.checksum);
  }
}

TEST(Decoder, has_the_shape_from_the_header_alone) {
  const auto decoder = make_decoder();
  for (const golden::Expected& expected : golden::expected("rgb")) {
    SCOPED_TRACE(to_string(expected));
    EXPECT_EQ(decoder->shape(golden::read(expected.file)),
              (ImageShape{expected.height, expected.width, 3}));
  }
  const std::vector<std::byte> png = golden::read("photo.png");
  const Bytes header = Bytes(png).first(find(png, "IDAT") + 4);
  EXPECT_EQ(decoder->shape(header), (ImageShape{47, 61, 3}));
}

TEST(Decoder, is_reused_over_images_of_every_kind_and_size) {
  const auto decoder = make_decoder();
  Image image;
  for (int round = 0; round < 2; ++round) {
    for (const golden::Expected& expected : golden::expected("rgb")) {
      decoder->decode(golden::read(expected.file), image);
      EXPECT_EQ(golden::checksum(image), expected.checksum) << to_string(expected);
    }
  }
}

// Pillow, and so ImageFolder, clips 16-bit gray, though it shifts other 16-bit pixels.
TEST(Decoder, clips_16_bit_gray) {
  // 1 × 2 pixels, 0x12FF and 0x00CD, stored without compression.
  const std::vector<std::byte> png = bytes_of(std::string_view(
      "\x89PNG\r\n\x1A\n"
      "\0\0\0\x0DIHDR\0\0\0\x02\0\0\0\x01\x10\0\0\0\0\x81\xD9\xFC\x15"
      "\0\0\0\x10IDAT\x78\x01\x01\x05\0\xFA\xFF\0\x12\xFF\0\xCD\x04\x17\x01\xDF\x31\xE5\xEB\xEF"
      "\0\0\0\0IEND\xAE\x42\x60\x82",
      73));
  Image image;
  make_decoder()->decode(png, image);
  EXPECT_THAT(std::vector<int>(image.pixels.begin(), image.pixels.begin() + 6),
              ElementsAre(0xFF, 0xFF, 0xFF, 0xCD, 0xCD, 0xCD));
}

TEST(Decoder, names_the_format_that_it_does_not_support) {
  const auto message = [](std::string_view text) {
    return ThrowsMessage<FormatError>(HasSubstr(std::string(text)));
  };
  EXPECT_THAT([] { decode(bytes_of("GIF89a.......")); },
              message("looks like GIF; supported: JPEG, PNG"));
  EXPECT_THAT([] { decode(bytes_of("RIFF\1\2\3\4WEBPVP8 ")); }, message("looks like WebP"));
  EXPECT_THAT([] { decode(bytes_of("BM......")); }, message("looks like BMP"));
  EXPECT_THAT([] { decode(bytes_of(std::string_view("II*\0....", 8))); },
              message("looks like TIFF"));
  EXPECT_THAT([] { decode(bytes_of("hello")); }, message("begins with 68 65 6c 6c 6f"));
  EXPECT_THAT([] { decode({}); }, message("is empty"));
}

class HostileImage : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileImage, ends_early_at_every_byte) {
  const std::vector<std::byte> data = golden::read(GetParam());
  const auto decoder = make_decoder();
  Image image;
  for (std::size_t size = 0; size < data.size(); ++size) {
    // The copy has exactly this size, so that AddressSanitizer detects a read past its end.
    const std::vector<std::byte> prefix(data.begin(),
                                        data.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(decoder->decode(prefix, image), FormatError) << size << " of " << data.size();
  }
  EXPECT_NO_THROW(decoder->decode(data, image));
}

TEST_P(HostileImage, has_flipped_bytes) {
  const std::vector<std::byte> data = golden::read(GetParam());
  const auto decoder = make_decoder();
  Image image;
  RandomStream random(7);
  int rejected = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<std::byte> damaged = data;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
    }
    try {
      decoder->decode(damaged, image);
    } catch (const FormatError&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, 0);
  decoder->decode(data, image);
  EXPECT_EQ(golden::checksum(image), golden::checksum(golden::decode(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(, HostileImage,
                         ::testing::Values("420.jpg", "progressive.jpg", "cmyk.jpg", "grey.jpg",
                                           "rgb8.png", "palette4_interlaced.png", "grey16.png",
                                           "grey_alpha16.png"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(JpegDecoder, reports_truncated_data_with_the_librarys_message) {
  std::vector<std::byte> data = golden::read("420.jpg");
  data.resize(data.size() / 2);
  EXPECT_THAT(
      [&] { decode(data); },
      ThrowsMessage<FormatError>("JPEG data ends early (libjpeg: Premature end of JPEG file)"));
}

TEST(JpegDecoder, detects_cmyk) {
  const auto decoder = make_decoder();
  EXPECT_TRUE(decoder->is_cmyk(golden::read("cmyk.jpg")));
  for (const char* file : {"420.jpg", "grey.jpg", "rgb.jpg", "rgb8.png"}) {
    EXPECT_FALSE(decoder->is_cmyk(golden::read(file))) << file;
  }
}

TEST(JpegDecoder, accepts_extraneous_bytes_before_a_marker_and_after_the_end) {
  const std::vector<std::byte> data = golden::read("420.jpg");
  const std::uint64_t whole = golden::checksum(golden::decode("420.jpg"));
  Image image;
  make_decoder()->decode(inserted(data, data.size() - 2, "four"), image);
  EXPECT_EQ(golden::checksum(image), whole);
  make_decoder()->decode(inserted(data, data.size(), "after the end"), image);
  EXPECT_EQ(golden::checksum(image), whole);
}

TEST(JpegDecoder, rejects_a_marker_within_the_pixels) {
  const std::vector<std::byte> data = golden::read("420.jpg");
  EXPECT_THAT([&] { decode(inserted(data, data.size() * 3 / 4, "\xFF\xD9")); },
              ThrowsMessage<FormatError>(HasSubstr("premature end of data segment")));
}

TEST(JpegDecoder, rejects_a_code_that_the_tables_lack) {
  const std::vector<std::byte> data = golden::read("420.jpg");
  const std::string_view ones("\xFF\0\xFF\0\xFF\0\xFF\0", 8);  // No code is all ones.
  EXPECT_THAT([&] { decode(inserted(data, data.size() / 2, ones)); },
              ThrowsMessage<FormatError>(HasSubstr("bad Huffman code")));
}

TEST(JpegDecoder, rejects_pixels_without_the_restarts_that_were_announced) {
  const std::vector<std::byte> data = golden::read("420.jpg");
  const std::string_view restart_interval("\xFF\xDD\0\4\0\2", 6);
  EXPECT_THAT([&] { decode(inserted(data, find(data, "\xFF\xDA"), restart_interval)); },
              ThrowsMessage<FormatError>(HasSubstr("instead of RST0")));
}

TEST(JpegDecoder, accepts_an_unknown_revision_of_jfif) {
  std::vector<std::byte> data = golden::read("420.jpg");
  data[find(data, "JFIF") + 5] = std::byte{9};
  Image image;
  make_decoder()->decode(data, image);
  EXPECT_EQ(golden::checksum(image), golden::checksum(golden::decode("420.jpg")));
}

TEST(JpegDecoder, rejects_huge_dimensions_before_it_allocates) {
  std::vector<std::byte> data = golden::read("420.jpg");
  const std::size_t size = find(data, "\xFF\xC0") + 5;
  std::fill_n(data.begin() + static_cast<std::ptrdiff_t>(size), 4, std::byte{0xF0});
  EXPECT_THAT([&] { decode(data); },
              ThrowsMessage<FormatError>(HasSubstr("61680 rows and 61680 columns is too large")));
}

TEST(JpegDecoder, rejects_a_file_with_too_many_scans) {
  const std::vector<std::byte> data = golden::read("progressive.jpg");
  const auto scan = data.begin() + static_cast<std::ptrdiff_t>(find(data, "\xFF\xDA"));
  const auto tables_of_the_next = std::adjacent_find(
      scan, data.end(),
      [](std::byte a, std::byte b) { return a == std::byte{0xFF} && b == std::byte{0xC4}; });
  const auto with_scans = [&](int count) {
    std::vector<std::byte> many(data.begin(), scan);
    for (int i = 0; i < count; ++i) many.insert(many.end(), scan, tables_of_the_next);
    many.insert(many.end(), tables_of_the_next, data.end());
    return many;
  };
  EXPECT_NO_THROW(decode(with_scans(100)));
  EXPECT_THAT([&] { decode(with_scans(600)); },
              ThrowsMessage<FormatError>(HasSubstr("more than 500 scans")));
}

TEST(PngDecoder, rejects_a_wrong_checksum_of_any_chunk) {
  for (const std::string_view chunk : {"IHDR", "IDAT", "tEXt", "IEND"}) {
    std::vector<std::byte> data = golden::read("rgb8_gamma.png");
    const std::size_t kind = find(data, chunk);
    const std::size_t length = std::to_integer<std::size_t>(data[kind - 2]) * 256 +
                               std::to_integer<std::size_t>(data[kind - 1]);
    data[kind + 4 + length] ^= std::byte{1};
    EXPECT_THAT([&] { decode(data); }, ThrowsMessage<FormatError>(HasSubstr("CRC error"))) << chunk;
  }
}

TEST(PngDecoder, reports_truncated_data) {
  std::vector<std::byte> data = golden::read("photo.png");
  data.resize(data.size() / 2);
  EXPECT_THAT([&] { decode(data); }, ThrowsMessage<FormatError>(HasSubstr("PNG data ends early")));
}

// The headers have correct checksums: the size alone must be rejected.
std::vector<std::byte> png_of(std::string_view size_and_checksum) {
  const std::string text(size_and_checksum);
  return bytes_of(std::string("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", 16) + text.substr(0, 8) +
                  std::string("\x08\x02\0\0\0", 5) + text.substr(8) +
                  std::string("\0\0\0\0IDAT\x35\xAF\x06\x1E", 12));
}

TEST(PngDecoder, rejects_huge_dimensions_before_it_allocates) {
  const auto huge = png_of({"\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x9B\xAB\x9C\x31", 12});
  EXPECT_THAT([&] { decode(huge); },
              ThrowsMessage<FormatError>(HasSubstr("2147483647 columns is too large")));
}

TEST(PngDecoder, rejects_dimensions_that_its_data_cannot_fill) {
  const auto hollow = png_of({"\0\0\x20\0\0\0\x20\0\xFD\xC8\x5D\x0E", 12});
  EXPECT_THAT([&] { decode(hollow); }, ThrowsMessage<FormatError>(HasSubstr("cannot hold")));
}

}  // namespace
}  // namespace feedrate::testing
