#include "tuner/verdict.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

std::vector<double> starts(double rate, std::size_t count) {
  return std::vector<double>(count, std::log(rate));
}

Verdict verdict(double a, double b, double deviation) {
  return compare_starts(starts(a, 4), starts(b, 4), deviation, 10.0, 0.95, 0.02).verdict;
}

TEST(verdict, a_large_difference_wins_or_loses) {
  EXPECT_EQ(verdict(120.0, 100.0, 0.01), Verdict::kWin);
  EXPECT_EQ(verdict(100.0, 120.0, 0.01), Verdict::kLose);
}

TEST(verdict, a_small_difference_well_known_is_a_tie) {
  EXPECT_EQ(verdict(101.0, 100.0, 0.001), Verdict::kTie);
}

TEST(verdict, noise_leaves_it_undecided) {
  EXPECT_EQ(verdict(103.0, 100.0, 0.10), Verdict::kUndecided);
}

// t(0.975, 10) = 2.228; 2.228 · 0.01 · √(1/4 + 1/4) = 0.015755.
TEST(verdict, the_interval_is_that_of_the_pooled_t_test) {
  const RatioVerdict result =
      compare_starts(starts(110.0, 4), starts(100.0, 4), 0.01, 10.0, 0.95, 0.02);
  EXPECT_NEAR(result.ratio, 1.1, 1e-12);
  EXPECT_NEAR(result.interval.low, 1.1 * std::exp(-0.015755), 1e-5);
  EXPECT_NEAR(result.interval.high, 1.1 * std::exp(0.015755), 1e-5);
}

TEST(verdict, without_starts_nothing_is_decided) {
  const RatioVerdict result = compare_starts({}, starts(100.0, 4), 0.01, 10.0, 0.95, 0.02);
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_EQ(result.interval.high, std::numeric_limits<double>::infinity());
}

TEST(verdict, has_words) {
  EXPECT_STREQ(to_string(Verdict::kWin), "WIN");
  EXPECT_STREQ(to_string(Verdict::kTie), "TIE");
  EXPECT_STREQ(to_string(Verdict::kLose), "LOSE");
  EXPECT_STREQ(to_string(Verdict::kUndecided), "UNDECIDED");
}

}  // namespace
}  // namespace feedrate
