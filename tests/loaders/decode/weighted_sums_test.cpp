// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/weighted_sums.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "loaders/decode/weighted_sums_avx2.h"

namespace feedrate {
namespace {

std::vector<std::uint8_t> random_bytes(std::size_t size, RandomStream& random) {
  std::vector<std::uint8_t> bytes(size);
  // A third of the bytes is white, so that sums reach the upper bound.
  for (std::uint8_t& byte : bytes) {
    byte = random.below(3) == 0 ? 255 : static_cast<std::uint8_t>(random.below(256));
  }
  return bytes;
}

int up_to(int bound, RandomStream& random) {
  return static_cast<int>(1 + random.below(static_cast<std::uint64_t>(bound)));
}

using WeighPixels = void(const std::uint8_t*, const AxisFilter&, std::uint8_t*);

void compare_with_plain(WeighPixels& weigh, std::size_t read_past_end) {
  RandomStream random(1);
  for (int round = 0; round < 1000; ++round) {
    AxisFilter filter;
    filter.prepare(up_to(200, random), up_to(60, random));
    const auto row =
        random_bytes(static_cast<std::size_t>(filter.input) * 3 + read_past_end, random);
    // The output has exactly this size, so that AddressSanitizer detects a write past its end.
    std::vector<std::uint8_t> fast(static_cast<std::size_t>(filter.output) * 3);
    std::vector<std::uint8_t> plain(fast.size());
    weigh(row.data(), filter, fast.data());
    weigh_pixels_plain(row.data(), filter, plain.data());
    ASSERT_EQ(fast, plain) << filter.input << " to " << filter.output;
  }
}

TEST(WeightedSums, of_pixels_are_equal_with_and_without_vectors) {
  compare_with_plain(weigh_pixels, kReadPastEnd);
  compare_with_plain(weigh_pixels_sse2, 4);
}

TEST(WeightedSums, of_pixels_are_equal_with_and_without_avx2) {
  if (!has_avx2()) GTEST_SKIP() << "this machine has no AVX2";
  compare_with_plain(weigh_pixels_avx2, kReadPastEnd);
}

TEST(WeightedSums, of_rows_are_equal_with_and_without_vectors) {
  RandomStream random(2);
  for (int round = 0; round < 300; ++round) {
    AxisFilter filter;
    filter.prepare(up_to(100, random), up_to(40, random));
    const int width = up_to(40, random);
    const std::size_t stride = static_cast<std::size_t>(width) * 3;
    const auto pixels = random_bytes(static_cast<std::size_t>(filter.input) * stride, random);
    const PixelView source{pixels.data(), stride, filter.input, width};
    std::vector<std::uint8_t> fast(stride);
    std::vector<std::uint8_t> plain(stride);
    for (std::size_t row = 0; row < filter.windows.size(); ++row) {
      weigh_rows(source, filter, row, fast.data());
      weigh_rows_plain(source, filter, row, plain.data());
      ASSERT_EQ(fast, plain) << filter.input << " to " << filter.output << ", row " << row;
      const std::size_t made = weigh_rows_sse2(source, filter, row, fast.data());
      weigh_rows_plain(source, filter, row, fast.data(), made);
      ASSERT_EQ(fast, plain) << "by SSE2: " << filter.input << " to " << filter.output;
    }
  }
}

TEST(Resampler, reads_no_byte_past_the_pixels) {
  RandomStream random(3);
  Resampler resampler;
  Image result;
  for (int round = 0; round < 300; ++round) {
    const int height = up_to(5, random);
    const int width = up_to(9, random);
    const std::size_t stride = static_cast<std::size_t>(width) * 3;
    // The input has exactly this size, so that AddressSanitizer detects a read past its end.
    const auto pixels = random_bytes(static_cast<std::size_t>(height) * stride, random);
    resampler.resize({pixels.data(), stride, height, width}, up_to(9, random), up_to(9, random),
                     result);
  }
}

}  // namespace
}  // namespace feedrate
