// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/settled.h"

#include <cmath>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(Settled, the_difference_is_the_median_over_paired_repeats) {
  const PairedDifference difference = difference_of({{5.0, 6.1, 6.9}, {1.0, 2.0, 3.0}});
  EXPECT_DOUBLE_EQ(difference.value, 4.0);
  EXPECT_DOUBLE_EQ(difference.of, 6.1);
}

// Another program disturbs two of five repeats, which take 13 times as long.
TEST(Settled, the_difference_is_robust_against_disturbed_repeats) {
  const PairedDifference difference = difference_of(
      {{0.0100, 0.1300, 0.0101, 0.1250, 0.0099}, {0.002, 0.002, 0.002, 0.002, 0.002}});
  EXPECT_NEAR(difference.value, 0.0081, 1e-9);
}

TEST(Settled, repeats_that_scatter_do_not_settle) {
  EXPECT_FALSE(is_settled(difference_of({{0.01, 0.02, 0.04, 0.015}, {0, 0, 0, 0}}), 0.15));
  EXPECT_TRUE(is_settled(difference_of({{0.0100, 0.0101, 0.0099}, {0, 0, 0}}), 0.15));
}

TEST(Settled, differences_below_100_us_may_scatter) {
  EXPECT_TRUE(is_settled(difference_of({{2e-5, 4e-5, 6e-5}, {0, 0, 0}}), 0.15));
}

TEST(Settled, negligible_differences_may_scatter) {
  const PairedDifference difference = difference_of({{0.002, 0.003, 0.004}, {0, 0, 0}});
  EXPECT_FALSE(is_settled(difference, 0.15));
  EXPECT_TRUE(is_settled(difference, 0.15, 0.01));
}

TEST(Settled, fewer_than_three_repeats_have_no_interval) {
  const PairedDifference difference = difference_of({{0.01, 0.02}, {0, 0}});
  EXPECT_TRUE(std::isinf(difference.half));
  EXPECT_TRUE(is_settled(difference, 0.15));
  EXPECT_EQ(describe("a step", difference),
            "a step: 15.0 ms (no interval) more than the native loader's");
}

}  // namespace
}  // namespace feedrate
