// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/encoder.h"

#include "core/error.h"
#include "core/random.h"
#include "loaders/decode/decoder.h"
#include "tests/loaders/decode/golden.h"
#include "tests/support/matchers.h"

namespace feedrate::testing {
namespace {

Image noise(int height, int width) {
  Image image;
  image.reset({height, width, 3});
  RandomStream random(1);
  for (std::uint8_t& value : image.pixels) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

Image decoded(const std::vector<std::byte>& encoded) {
  Image image;
  make_decoder()->decode(encoded, image);
  return image;
}

TEST(EncodePng, gives_every_pixel_back) {
  for (const int size : {1, 2, 31, 100}) {
    const Image image = noise(size, 2 * size + 1);
    const Image again = decoded(encode_png(image));
    EXPECT_EQ(again.shape, image.shape);
    EXPECT_EQ(golden::checksum(again), golden::checksum(image));
  }
}

TEST(EncodeJpeg, writes_what_pillow_writes) {
  const std::vector<golden::Expected> all = golden::expected("encode_jpeg");
  ASSERT_FALSE(all.empty());
  for (const golden::Expected& expected : all) {
    const Image image = decoded(encode_jpeg(golden::decode(expected.file), expected.arguments[0]));
    EXPECT_EQ(golden::checksum(image), expected.checksum) << to_string(expected);
  }
}

TEST(EncodeJpeg, holds_noise_at_the_best_quality) {
  const Image image = noise(67, 129);
  EXPECT_EQ(decoded(encode_jpeg(image, 100)).shape, image.shape);
  EXPECT_EQ(decoded(encode_jpeg(noise(1, 1), 100)).shape, (ImageShape{1, 1, 3}));
}

TEST(EncodeJpeg, reports_the_librarys_message_for_an_image_that_is_too_wide) {
  EXPECT_THAT([] { static_cast<void>(encode_jpeg(noise(1, 70000), 75)); },
              ThrowsMessage<FormatError>(HasSubstr("65500 pixels")));
}

TEST(Encode, rejects_an_empty_image_and_one_that_is_not_rgb) {
  Image gray;
  gray.reset({2, 2, 1});
  EXPECT_THROW(static_cast<void>(encode_png(gray)), FormatError);
  EXPECT_THROW(static_cast<void>(encode_jpeg(gray, 75)), FormatError);
  EXPECT_THROW(static_cast<void>(encode_png(Image{})), FormatError);
  EXPECT_THROW(static_cast<void>(encode_jpeg(Image{}, 75)), FormatError);
}

}  // namespace
}  // namespace feedrate::testing
