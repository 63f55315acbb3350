// Against libpng's decoder: the same pixels or the same error, of whatever file.
#include "decode/fast_png_decoder.h"

#include <algorithm>
#include <functional>
#include <optional>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "decode/encoder.h"
#include "decode/plain_png.h"
#include "decode/png_decoder.h"
#include "tests/decode/allocations.h"
#include "tests/decode/golden.h"
#include "tests/decode/png_maker.h"

namespace feedrate {
namespace {

using png::Data;

struct Outcome {
  std::string error;
  ImageShape shape;
  std::vector<std::uint8_t> pixels;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(Decoder& decoder, Bytes file) {
  Image image;
  try {
    decoder.decode(file, image);
  } catch (const FormatError& error) {
    return {error.what(), {}, {}};
  }
  image.pixels.resize(image.shape.size());
  return {{}, image.shape, image.pixels};
}

/// Holds both decoders, so that they go on after errors.
class Pair {
 public:
  /// The outcome of both.
  Outcome expect_equal(const Data& file) {
    Outcome fast = outcome_of(*fast_, file);
    const Outcome library = outcome_of(*library_, file);
    EXPECT_EQ(fast.error, library.error);
    EXPECT_EQ(fast.shape, library.shape);
    EXPECT_TRUE(fast.pixels == library.pixels);
    return fast;
  }

 private:
  std::unique_ptr<Decoder> fast_ = make_fast_png_decoder();
  std::unique_ptr<Decoder> library_ = make_png_decoder();
};

/// Whether the fast way is taken.
bool is_plain(const Data& file) {
  std::vector<std::byte> joined;
  return find_plain_png(file, joined).has_value();
}

std::size_t channels_of(std::uint8_t color_type) {
  return color_type == 0 ? 1 : color_type == 2 ? 3 : 4;
}

/// Rows of random bytes, each after the number of a filter.
Data random_rows(const png::Header& header, RandomStream& random) {
  const std::size_t row = header.width * channels_of(header.color_type);
  Data rows;
  for (std::uint32_t y = 0; y < header.height; ++y) {
    rows.push_back(static_cast<std::byte>(random.below(5)));
    // Few values, so that the stream has matches over all distances.
    for (std::size_t i = 0; i < row; ++i)
      rows.push_back(static_cast<std::byte>(random.below(3) * 85));
  }
  return rows;
}

png::Header random_header(RandomStream& random) {
  constexpr std::uint8_t kColorTypes[] = {0, 2, 6};
  png::Header header;
  header.width = static_cast<std::uint32_t>(1 + random.below(70));
  header.height = static_cast<std::uint32_t>(1 + random.below(70));
  header.color_type = kColorTypes[random.below(3)];
  return header;
}

png::Header small_header() {
  png::Header header;
  header.width = 9;
  header.height = 7;
  return header;
}

Data small_stream() {
  RandomStream random(3);
  return png::deflated(random_rows(small_header(), random));
}

TEST(FastPngDecoder, takes_its_own_way_for_the_common_kinds_only) {
  std::size_t plain = 0;
  for (const golden::Expected& expected : golden::expected("rgb")) {
    if (!expected.file.ends_with(".png")) continue;
    if (is_plain(golden::read(expected.file))) ++plain;
  }
  EXPECT_GE(plain, 6U);
  for (const char* file : {"photo.png", "rgb8.png", "rgba8.png", "grey8.png", "rgb8_gamma.png"}) {
    EXPECT_TRUE(is_plain(golden::read(file))) << file;
  }
  for (const char* file : {"palette8.png", "rgb16.png", "rgb8_interlaced.png", "grey1.png",
                           "grey_alpha8.png", "rgb8_transparent.png", "420.jpg"}) {
    EXPECT_FALSE(is_plain(golden::read(file))) << file;
  }
}

TEST(FastPngDecoder, equals_libpng_on_every_golden_file) {
  Pair decoders;
  for (const golden::Expected& expected : golden::expected("rgb")) {
    if (!expected.file.ends_with(".png")) continue;
    SCOPED_TRACE(expected.file);
    EXPECT_EQ(decoders.expect_equal(golden::read(expected.file)).error, "");
  }
}

TEST(FastPngDecoder, equals_libpng_on_random_rows_filters_and_windows) {
  Pair decoders;
  RandomStream random(4);
  for (int round = 0; round < 300; ++round) {
    const png::Header header = random_header(random);
    const int window_bits = static_cast<int>(9 + random.below(7));
    const int level = static_cast<int>(random.below(10));
    const Data file =
        png::plain_file(header, png::deflated(random_rows(header, random), window_bits, level));
    EXPECT_TRUE(is_plain(file));
    EXPECT_EQ(decoders.expect_equal(file).error, "");
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(FastPngDecoder, equals_libpng_on_streams_in_many_parts) {
  Pair decoders;
  const Data stream = small_stream();
  const Outcome whole = decoders.expect_equal(png::plain_file(small_header(), stream));
  ASSERT_EQ(whole.error, "");
  RandomStream random(5);
  for (int round = 0; round < 100; ++round) {
    std::vector<Data> chunks{png::header(small_header())};
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min<std::size_t>(random.below(20), stream.size() - at);
      const auto first = stream.begin() + static_cast<std::ptrdiff_t>(at);
      chunks.push_back(png::chunk("IDAT", {first, first + static_cast<std::ptrdiff_t>(size)}));
      at += size;
    }
    chunks.push_back(png::chunk("IEND", {}));
    const Data file = png::file(chunks);
    EXPECT_TRUE(is_plain(file));
    EXPECT_EQ(decoders.expect_equal(file), whole);
  }
}

TEST(FastPngDecoder, equals_libpng_on_chunks_of_every_kind_in_every_place) {
  Pair decoders;
  const Data head = png::header(small_header());
  const Data pixels = png::chunk("IDAT", small_stream());
  const Data end = png::chunk("IEND", {});
  for (const char* name : {"tEXt", "gAMA", "iCCP", "pHYs", "prVt", "tRNS", "PLTE", "CRit", "IHDR",
                           "IDAT", "IEND", "b1nd", "acTL"}) {
    for (const std::size_t size : {0U, 1U, 4U, 6U, 9U, 13U}) {
      const Data extra = png::chunk(name, Data(size, std::byte{1}));
      for (const std::vector<Data>& chunks : {std::vector{extra, head, pixels, end},
                                              {head, extra, pixels, end},
                                              {head, pixels, extra, end},
                                              {head, pixels, end, extra},
                                              {head, pixels, extra, pixels, end},
                                              {head, pixels, extra}}) {
        decoders.expect_equal(png::file(chunks));
        if (HasFailure()) FAIL() << name << " of " << size << " bytes";
      }
    }
  }
}

TEST(FastPngDecoder, equals_libpng_on_headers_of_every_kind) {
  Pair decoders;
  const Data stream = small_stream();
  for (const std::uint32_t size : {0U, 1U, 7U, 8U, 9U, 10U, 13'000U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    for (const auto member : {&png::Header::width, &png::Header::height}) {
      png::Header header = small_header();
      header.*member = size;
      decoders.expect_equal(png::plain_file(header, stream));
    }
  }
  for (int value = 0; value < 18; ++value) {
    for (const auto member :
         {&png::Header::depth, &png::Header::color_type, &png::Header::compression,
          &png::Header::filter, &png::Header::interlace}) {
      png::Header header = small_header();
      header.*member = static_cast<std::uint8_t>(value);
      decoders.expect_equal(png::plain_file(header, stream));
    }
  }
}

TEST(FastPngDecoder, equals_libpng_on_streams_too_short_and_too_long) {
  Pair decoders;
  RandomStream random(6);
  const Data rows = random_rows(small_header(), random);
  for (std::size_t size = 0; size <= rows.size() + 3; ++size) {
    Data other = rows;
    other.resize(size, std::byte{0});
    decoders.expect_equal(png::plain_file(small_header(), png::deflated(other)));
  }
  const Data stream = png::deflated(rows);
  for (std::size_t size = 0; size <= stream.size() + 3; ++size) {
    Data other = stream;
    other.resize(size, std::byte{0});
    decoders.expect_equal(png::plain_file(small_header(), other));
  }
}

TEST(FastPngDecoder, equals_libpng_on_a_window_smaller_than_its_distances) {
  png::Header header = small_header();
  header.width = 200;
  header.height = 40;
  RandomStream random(8);
  Data rows(200 * 3 + 1);
  for (std::byte& each : rows) each = static_cast<std::byte>(random.below(256));
  rows[0] = std::byte{0};
  const Data row = rows;
  for (int y = 1; y < 40; ++y) rows.insert(rows.end(), row.begin(), row.end());
  Data stream = png::deflated(rows);
  stream[0] = std::byte{0x08};  // 256 bytes, less than a row.
  stream[1] = std::byte{0x1D};
  Pair decoders;
  EXPECT_NE(decoders.expect_equal(png::plain_file(header, stream)).error, "");
}

TEST(FastPngDecoder, equals_libpng_on_damaged_streams_with_right_checksums) {
  Pair decoders;
  RandomStream random(7);
  const Data stream = small_stream();
  for (int round = 0; round < 3000; ++round) {
    Data damaged = stream;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips) {
      damaged[random.below(damaged.size())] ^= static_cast<std::byte>(1U << random.below(8));
    }
    decoders.expect_equal(png::plain_file(small_header(), damaged));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(FastPngDecoder, equals_libpng_on_rows_of_unknown_filters) {
  Pair decoders;
  RandomStream random(9);
  for (const std::uint8_t color_type : {std::uint8_t{0}, std::uint8_t{2}, std::uint8_t{6}}) {
    png::Header header = small_header();
    header.color_type = color_type;
    const Data rows = random_rows(header, random);
    const std::size_t row = 1 + header.width * channels_of(color_type);
    for (std::size_t y = 0; y < header.height; ++y) {
      Data other = rows;
      other[y * row] = std::byte{5};
      EXPECT_NE(decoders.expect_equal(png::plain_file(header, png::deflated(other))).error, "");
    }
  }
}

TEST(FastPngDecoder, equals_libpng_on_files_cut_and_flipped) {
  Pair decoders;
  const Data whole = png::plain_file(small_header(), small_stream());
  for (std::size_t size = 8; size < whole.size(); ++size) {
    Data cut = whole;
    cut.resize(size);
    EXPECT_NE(decoders.expect_equal(cut).error, "");
  }
  for (std::size_t at = 8; at < whole.size(); ++at) {
    Data flipped = whole;
    flipped[at] ^= std::byte{0x20};
    decoders.expect_equal(flipped);
    if (HasFailure()) FAIL() << "byte " << at;
  }
}

TEST(FastPngDecoder, allocates_nothing_once_it_has_seen_the_largest) {
  const auto decoder = make_fast_png_decoder();
  Image image;
  std::vector<Data> files;
  for (const char* name : {"photo.png", "grey8.png", "rgba8.png"})
    files.push_back(golden::read(name));
  for (const Data& file : files) decoder->decode(file, image);
  const std::size_t before = allocations();
  for (const Data& file : files) decoder->decode(file, image);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace feedrate
