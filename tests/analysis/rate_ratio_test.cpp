// SPDX-License-Identifier: Apache-2.0
#include "analysis/rate_ratio.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(RateRatio, follows_from_a_logarithm_and_half_of_its_interval) {
  const RateRatio ratio = rate_ratio(std::log(1.2), std::log(1.1));
  EXPECT_NEAR(ratio.ratio, 1.2, 1e-12);
  EXPECT_NEAR(ratio.low, 1.2 / 1.1, 1e-12);
  EXPECT_NEAR(ratio.high, 1.2 * 1.1, 1e-12);
}

TEST(RateRatio, is_written_as_a_gain_with_its_interval) {
  EXPECT_EQ(gain_text(RateRatio{1.012, 1.004, 1.02}), "+1.2 % (+0.4 % to +2.0 %)");
  EXPECT_EQ(gain_text(RateRatio{0.9, 0.85, 1.1}), "-10 % (-15 % to +10 %)");
  EXPECT_EQ(gain_text(RateRatio{4.0, 3.5, 12.0}), "4.0x (3.5x to 12x)");
}

TEST(RateRatio, has_no_sign_where_it_is_none) {
  EXPECT_EQ(gain_text(0.9996), "0.0 %");
  EXPECT_EQ(gain_text(1.0004), "0.0 %");
}

TEST(RateRatio, is_written_without_an_interval_that_is_not_known) {
  EXPECT_EQ(gain_text(rate_ratio(std::log(1.5), std::numeric_limits<double>::infinity())), "+50 %");
}

}  // namespace
}  // namespace feedrate
