// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/settled.h"

#include <cmath>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(Settled, the_difference_is_the_median_over_repeats_side_by_side) {
  const PairedDifference difference = difference_of({{5.0, 6.1, 6.9}, {1.0, 2.0, 3.0}});
  EXPECT_DOUBLE_EQ(difference.value, 4.0);
  EXPECT_DOUBLE_EQ(difference.of, 6.1);
}

// Two repeats of five beside another program: 13 times what it takes.
TEST(Settled, disturbed_repeats_do_not_move_it) {
  const PairedDifference difference = difference_of(
      {{0.0100, 0.1300, 0.0101, 0.1250, 0.0099}, {0.002, 0.002, 0.002, 0.002, 0.002}});
  EXPECT_NEAR(difference.value, 0.0081, 1e-9);
}

TEST(Settled, repeats_that_scatter_do_not_settle) {
  EXPECT_FALSE(is_settled(difference_of({{0.01, 0.02, 0.04, 0.015}, {0, 0, 0, 0}}), 0.15));
  EXPECT_TRUE(is_settled(difference_of({{0.0100, 0.0101, 0.0099}, {0, 0, 0}}), 0.15));
}

TEST(Settled, what_is_below_a_tenth_of_a_millisecond_may_scatter) {
  EXPECT_TRUE(is_settled(difference_of({{2e-5, 4e-5, 6e-5}, {0, 0, 0}}), 0.15));
}

TEST(Settled, what_is_little_beside_a_batch_may_scatter) {
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
