// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/resample.h"

#include <numeric>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/loaders/decode/golden.h"

namespace feedrate {
namespace {

TEST(Resampler, gives_the_bytes_that_pillow_gives_for_a_crop_of_an_image) {
  const std::vector<golden::Expected> all = golden::expected("resized_crop");
  ASSERT_GE(all.size(), 10U);
  Resampler resampler;
  Image result;
  for (const golden::Expected& expected : all) {
    const Image image = golden::decode(expected.file);
    const std::vector<int>& box = expected.arguments;
    resampler.resize(view_of(image, box[0], box[1], box[2], box[3]), box[4], box[5], result);
    EXPECT_EQ(golden::checksum(result), expected.checksum) << to_string(expected);
  }
}

TEST(Resampler, keeps_a_uniform_color) {
  Image image;
  image.reset({37, 53, 3});
  std::fill(image.pixels.begin(), image.pixels.end(), std::uint8_t{255});
  Resampler resampler;
  Image result;
  for (const int size : {1, 2, 36, 38, 500}) {
    resampler.resize(view_of(image), size, size + 1, result);
    for (std::size_t i = 0; i < result.shape.size(); ++i) ASSERT_EQ(result.pixels[i], 255) << size;
  }
}

TEST(Resampler, rejects_a_result_that_is_too_large) {
  Image image;
  image.reset({1, 1, 3});
  Resampler resampler;
  Image result;
  EXPECT_THROW(resampler.resize(view_of(image), 100000, 100000, result), FormatError);
  EXPECT_THROW(resampler.resize(view_of(image), 0, 10, result), FormatError);
}

TEST(AxisFilter, has_weights_that_sum_to_one_up_to_rounding) {
  AxisFilter filter;
  for (const auto& [input, output] : {std::pair{500, 224}, {32, 224}, {7, 7}, {1, 9}, {900, 1}}) {
    filter.prepare(input, output);
    for (std::size_t i = 0; i < filter.windows.size(); ++i) {
      const auto first = filter.weights.begin() + static_cast<std::ptrdiff_t>(i * filter.taps);
      const int sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(filter.taps), 0);
      EXPECT_NEAR(sum, 1 << 22, static_cast<double>(filter.taps) / 2) << input << " to " << output;
      EXPECT_GE(filter.windows[i].first, 0);
      EXPECT_LE(filter.windows[i].first + filter.windows[i].count, input);
    }
  }
}

}  // namespace
}  // namespace feedrate
