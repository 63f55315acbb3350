// SPDX-License-Identifier: Apache-2.0
#include "core/random.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

// The first outputs of SplitMix64 for seed 1234567, as published with its reference code.
TEST(RandomStream, is_splitmix64) {
  RandomStream random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
  EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

TEST(RandomStream, uniform_fills_the_half_open_interval) {
  RandomStream random(1);
  double low = 1.0, high = 0.0, sum = 0.0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.uniform();
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  EXPECT_GE(low, 0.0);
  EXPECT_LT(low, 0.001);
  EXPECT_GT(high, 0.999);
  EXPECT_LT(high, 1.0);
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
}

TEST(RandomStream, below_reaches_every_value_and_no_other) {
  RandomStream random(2);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(RandomStream, normal_has_mean_zero_and_variance_one) {
  RandomStream random(3);
  double sum = 0.0, squares = 0.0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.02);
}

TEST(SampleStream, depends_on_each_of_seed_epoch_and_record) {
  const std::uint64_t base = sample_stream(1, 2, 3).next();
  EXPECT_EQ(sample_stream(1, 2, 3).next(), base);
  EXPECT_NE(sample_stream(2, 2, 3).next(), base);
  EXPECT_NE(sample_stream(1, 3, 3).next(), base);
  EXPECT_NE(sample_stream(1, 2, 4).next(), base);
  EXPECT_NE(sample_stream(1, 3, 2).next(), base);
}

}  // namespace
}  // namespace feedrate
