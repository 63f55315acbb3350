// SPDX-License-Identifier: Apache-2.0
#include "core/verdict.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.h"
#include "core/uncertain.h"

namespace feedrate {
namespace {

constexpr double kTolerance = 0.02;

Verdict of_ratios(double low, double high) {
  return verdict_on({std::log(low), std::log(high)}, kTolerance);
}

TEST(Verdict, follows_where_the_interval_lies) {
  EXPECT_EQ(of_ratios(1.03, 1.10), Verdict::kWin);
  EXPECT_EQ(of_ratios(0.99, 1.01), Verdict::kTie);
  EXPECT_EQ(of_ratios(0.90, 0.97), Verdict::kLose);
  EXPECT_EQ(of_ratios(0.97, 1.10), Verdict::kUndecided);
}

TEST(Verdict, calls_a_small_difference_that_is_well_known_a_tie) {
  EXPECT_EQ(of_ratios(1.005, 1.015), Verdict::kTie);
}

TEST(Verdict, of_an_interval_across_the_tolerance_is_undecided) {
  EXPECT_EQ(of_ratios(1.005, 1.035), Verdict::kUndecided);
  EXPECT_EQ(of_ratios(0.970, 0.995), Verdict::kUndecided);
}

TEST(Verdict, knows_no_tie_of_differing_rates_without_a_tolerance) {
  EXPECT_EQ(verdict_on({1e-9, 2e-9}, 0.0), Verdict::kWin);
  EXPECT_EQ(verdict_on({0.0, 0.0}, 0.0), Verdict::kTie);
}

TEST(Verdict, of_an_infinite_interval_is_undecided) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  EXPECT_EQ(verdict_on({-kUnbounded, kUnbounded}, kTolerance), Verdict::kUndecided);
}

// Simulates verdicts on two cells of `starts` starts each.
struct Counts {
  double decided = 0.0;  // share of WIN or LOSE
  double tied = 0.0;
  double lost = 0.0;
};

Counts simulate(double ratio, double deviation, std::size_t starts, double tolerance) {
  constexpr std::size_t kDraws = 4000;
  RandomStream random(5);
  const auto draw = [&](double rate) {
    std::vector<double> rates(starts);
    for (double& one : rates) one = rate * (1.0 + deviation * random.normal());
    return uncertain_mean(rates);
  };
  Counts counts;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const Uncertain a = draw(1000.0);
    const Uncertain b = draw(1000.0 * ratio);
    const Verdict verdict = verdict_on(interval_of(log_ratio(b, a), 0.95), tolerance);
    const bool is_decided = verdict == Verdict::kWin || verdict == Verdict::kLose;
    counts.decided += (is_decided ? 1.0 : 0.0) / kDraws;
    counts.tied += (verdict == Verdict::kTie ? 1.0 : 0.0) / kDraws;
    counts.lost += (verdict == Verdict::kLose ? 1.0 : 0.0) / kDraws;
  }
  return counts;
}

TEST(Verdict, is_win_or_lose_for_at_most_a_twentieth_of_equal_cells) {
  for (const std::size_t starts : {2U, 3U, 5U}) {
    for (const double deviation : {0.002, 0.02, 0.2}) {
      EXPECT_LE(simulate(1.0, deviation, starts, 0.0).decided, 0.05) << starts << ' ' << deviation;
      EXPECT_LE(simulate(1.0, deviation, starts, kTolerance).decided, 0.05);
    }
  }
}

TEST(Verdict, is_hardly_ever_a_tie_at_the_edge_of_the_tolerance) {
  for (const double deviation : {0.001, 0.005, 0.02}) {
    EXPECT_LE(simulate(1.0 - kTolerance, deviation, 3, kTolerance).tied, 0.03) << deviation;
  }
}

TEST(Verdict, finds_a_real_difference) {
  EXPECT_GE(simulate(1.0, 0.002, 3, kTolerance).tied, 0.99);
  EXPECT_GE(simulate(0.9, 0.02, 5, kTolerance).lost, 0.99);
}

}  // namespace
}  // namespace feedrate
