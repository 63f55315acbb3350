// SPDX-License-Identifier: Apache-2.0
// Compares parts of JPEG images with the same parts of whole ones.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "loaders/decode/decoder.h"
#include "loaders/decode/resample.h"
#include "tests/loaders/decode/golden.h"
#include "tests/loaders/decode/jpeg_maker.h"
#include "tests/support/random_box.h"

namespace feedrate::testing {
namespace {

using Encoded = std::vector<std::byte>;

std::vector<std::uint8_t> pixels_of(const PixelView& view) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < view.height; ++y) {
    pixels.insert(pixels.end(), view.row(y),
                  view.row(y) + std::size_t{3} * static_cast<std::size_t>(view.width));
  }
  return pixels;
}

/// Selects `box` without a change of size, so that nothing is scaled.
Select just(const CropBox& box) {
  return [box](const ImageShape&) { return Selection{box, box.height, box.width}; };
}

void expect_parts_equal(const Encoded& file, int rounds, RandomStream& random) {
  const auto decoder = make_jpeg_decoder();
  Image whole;
  decoder->decode(file, whole);
  Image image;
  for (int round = 0; round < rounds; ++round) {
    const CropBox box = random_box(whole.shape, random);
    const CropBox found = decoder->decode_part(file, just(box), image);
    ASSERT_EQ(found.height, box.height);
    ASSERT_EQ(found.width, box.width);
    ASSERT_TRUE(pixels_of(view_of(image, found)) == pixels_of(view_of(whole, box)))
        << box.height << "×" << box.width << " at " << box.top << ", " << box.left << " of "
        << whole.shape.height << "×" << whole.shape.width;
  }
}

TEST(PartialJpeg, is_exact_for_all_golden_files) {
  RandomStream random(1);
  for (const golden::Expected& expected : golden::expected("rgb")) {
    if (!expected.file.ends_with(".jpg")) continue;
    SCOPED_TRACE(expected.file);
    expect_parts_equal(golden::read(expected.file), 200, random);
  }
}

class PartialJpegOfKind : public ::testing::TestWithParam<jpeg::Kind> {};

TEST_P(PartialJpegOfKind, is_exact_for_any_size_and_box) {
  RandomStream random(2);
  for (int image = 0; image < 25; ++image) {
    const auto height = static_cast<int>(1 + random.below(120));
    const auto width = static_cast<int>(1 + random.below(120));
    expect_parts_equal(jpeg::noise(height, width, GetParam(), random), 20, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PartialJpegOfKind, decodes_only_a_part_of_common_kinds) {
  RandomStream random(3);
  const auto decoder = make_jpeg_decoder();
  Image image;
  decoder->decode_part(jpeg::noise(200, 200, GetParam(), random), just({90, 90, 16, 16}), image);
  const jpeg::Kind kind = GetParam();
  const bool rare = kind.horizontal > 2 || kind.vertical > 2;
  EXPECT_EQ(image.shape.height == 16 && image.shape.width < 64, !rare);
}

INSTANTIATE_TEST_SUITE_P(, PartialJpegOfKind,
                         ::testing::Values(jpeg::Kind{"yuv444", 1, 1}, jpeg::Kind{"yuv422", 2, 1},
                                           jpeg::Kind{"yuv420", 2, 2}, jpeg::Kind{"yuv440", 1, 2},
                                           jpeg::Kind{"yuv411", 4, 1}, jpeg::Kind{"grey", 0, 0},
                                           jpeg::Kind{"progressive444", 1, 1, true},
                                           jpeg::Kind{"progressive422", 2, 1, true},
                                           jpeg::Kind{"progressive420", 2, 2, true},
                                           jpeg::Kind{"progressive_grey", 0, 0, true},
                                           jpeg::Kind{"restarts420", 2, 2, false, 3}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(PartialJpeg, is_exact_for_a_progressive_file_that_lacks_scans) {
  RandomStream random(4);
  const jpeg::Kind kind{"progressive420", 2, 2, true};
  for (int image = 0; image < 10; ++image) {
    Encoded file = jpeg::noise(90, 110, kind, random);
    for (int scans = 1; scans <= 6; ++scans) {
      expect_parts_equal(jpeg::with_first_scans(file, scans), 5, random);
    }
  }
}

TEST(PartialJpeg, rejects_a_file_truncated_after_the_part_with_the_error_of_the_whole) {
  const auto part = make_jpeg_decoder();
  const Encoded file = golden::read("420.jpg");
  Image image;
  for (std::size_t size = 2; size < file.size(); ++size) {
    const Encoded cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    std::string whole;
    try {
      part->decode(cut, image);
    } catch (const FormatError& error) {
      whole = error.what();
    }
    ASSERT_NE(whole, "");
    EXPECT_THAT(
        [&] {
          part->decode_part(cut, just({1, 2, 3, 4}), image);
        },
        ::testing::ThrowsMessage<FormatError>(whole))
        << size << " bytes";
  }
  EXPECT_NO_THROW(part->decode_part(file, just({1, 2, 3, 4}), image));
}

TEST(PartialJpeg, survives_flipped_bytes_and_equals_the_whole_if_that_decodes) {
  for (const char* name : {"420.jpg", "422.jpg", "progressive.jpg", "grey.jpg"}) {
    const Encoded file = golden::read(name);
    const auto decoder = make_jpeg_decoder();
    RandomStream random(5);
    Image whole;
    Image image;
    for (int round = 0; round < 500; ++round) {
      Encoded damaged = file;
      damaged[random.below(damaged.size())] = static_cast<std::byte>(random.below(256));
      bool taken = true;
      CropBox box;
      try {
        decoder->decode(damaged, whole);
        box = random_box(whole.shape, random);
      } catch (const FormatError&) {
        taken = false;
      }
      try {
        const CropBox found = decoder->decode_part(
            damaged,
            [&](const ImageShape& shape) {
              const CropBox wanted =
                  taken ? box : CropBox{0, 0, 1 + shape.height / 2, 1 + shape.width / 2};
              return Selection{wanted, wanted.height, wanted.width};
            },
            image);
        if (taken) {
          EXPECT_TRUE(pixels_of(view_of(image, found)) == pixels_of(view_of(whole, box)))
              << name << round;
        }
      } catch (const FormatError&) {
        EXPECT_FALSE(taken) << name << round;
      }
    }
  }
}

TEST(PartialJpeg, is_the_whole_image_with_the_library_setting) {
  const auto decoder = make_jpeg_decoder(Decoding::kLibrary);
  Image image;
  const CropBox box{10, 20, 8, 8};
  EXPECT_EQ(decoder->decode_part(golden::read("420.jpg"), just(box), image), box);
  EXPECT_EQ(image.shape, (ImageShape{45, 59, 3}));
}

TEST(ScaledJpeg, is_decoded_no_smaller_than_wanted) {
  RandomStream random(6);
  const Encoded file = jpeg::noise(160, 240, {"yuv420", 2, 2}, random);
  const auto decoder = make_jpeg_decoder(Decoding::kScaled);
  Image image;
  const auto shape_for = [&](int height, int width) {
    decoder->decode_part(
        file,
        [&](const ImageShape& whole) {
          return Selection{whole_of(whole), height, width};
        },
        image);
    return image.shape;
  };
  EXPECT_EQ(shape_for(160, 240), (ImageShape{160, 240, 3}));
  EXPECT_EQ(shape_for(81, 120), (ImageShape{160, 240, 3}));
  EXPECT_EQ(shape_for(80, 120), (ImageShape{80, 120, 3}));
  EXPECT_EQ(shape_for(41, 30), (ImageShape{80, 120, 3}));
  EXPECT_EQ(shape_for(40, 60), (ImageShape{40, 60, 3}));
  EXPECT_EQ(shape_for(20, 30), (ImageShape{20, 30, 3}));
  EXPECT_EQ(shape_for(1, 1), (ImageShape{20, 30, 3}));
}

TEST(ScaledJpeg, looks_like_the_wanted_part) {
  const Encoded file = jpeg::slope(160, 240);
  const auto decoder = make_jpeg_decoder(Decoding::kScaled);
  Image whole;
  decoder->decode(file, whole);
  Resampler resampler;
  RandomStream random(7);
  for (int round = 0; round < 50; ++round) {
    const CropBox box = random_box(whole.shape, random);
    const int height = std::max(1, box.height / 5);
    const int width = std::max(1, box.width / 5);
    Image part;
    const CropBox found = decoder->decode_part(
        file,
        [&](const ImageShape&) {
          return Selection{box, height, width};
        },
        part);
    Image exact;
    Image scaled;
    resampler.resize(view_of(whole, box), height, width, exact);
    resampler.resize(view_of(part, found), height, width, scaled);
    for (std::size_t i = 0; i < exact.shape.size(); ++i) {
      // The slope is one per two pixels, and the box is off by up to three.
      ASSERT_NEAR(scaled.pixels[i], exact.pixels[i], 6) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace feedrate::testing
