// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/verdict.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

RatioVerdict compare(std::vector<double> ratios, double noise = 0.01) {
  for (double& ratio : ratios) ratio = std::log(ratio);
  return compare_rounds(ratios, noise, 10.0, 0.95, 0.02);
}

TEST(verdict, a_large_difference_wins_or_loses) {
  EXPECT_EQ(compare({1.2, 1.2, 1.2}).verdict, Verdict::kWin);
  EXPECT_EQ(compare({0.8, 0.8, 0.8}).verdict, Verdict::kLose);
}

TEST(verdict, a_small_difference_well_known_is_a_tie) {
  EXPECT_EQ(compare({1.01, 1.01, 1.01}, 0.001).verdict, Verdict::kTie);
}

TEST(verdict, noise_of_starts_leaves_it_undecided) {
  EXPECT_EQ(compare({1.03, 1.03, 1.03}, 0.10).verdict, Verdict::kUndecided);
}

// A burst during one start: 36 % in that round, nothing in the other.
TEST(verdict, rounds_that_contradict_each_other_leave_it_undecided) {
  EXPECT_EQ(compare({1.85, 0.99}).verdict, Verdict::kUndecided);
}

// t(0.975, 13) = 2.160; s² = (2·1e-4·10 + 0) / 13; 2.160 · √(s² / 4) = 0.013397.
TEST(verdict, the_interval_pools_the_rounds_with_the_noise_of_starts) {
  const RatioVerdict result = compare({1.1, 1.1, 1.1, 1.1});
  EXPECT_NEAR(result.ratio, 1.1, 1e-12);
  EXPECT_NEAR(result.interval.low, 1.1 * std::exp(-0.013397), 1e-5);
  EXPECT_NEAR(result.interval.high, 1.1 * std::exp(0.013397), 1e-5);
}

TEST(verdict, one_round_decides_nothing) {
  const RatioVerdict result = compare({2.0});
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_DOUBLE_EQ(result.ratio, 2.0);
  EXPECT_EQ(result.interval.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(compare({}).verdict, Verdict::kUndecided);
}

TEST(verdict, has_words) {
  EXPECT_STREQ(to_string(Verdict::kWin), "WIN");
  EXPECT_STREQ(to_string(Verdict::kTie), "TIE");
  EXPECT_STREQ(to_string(Verdict::kLose), "LOSE");
  EXPECT_STREQ(to_string(Verdict::kUndecided), "UNDECIDED");
}

}  // namespace
}  // namespace feedrate
