// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/decision.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

RatioVerdict compare(std::vector<double> ratios, double noise = 0.01) {
  for (double& ratio : ratios) ratio = std::log(ratio);
  return compare_rounds(ratios, noise, 10.0, 0.95, 0.02);
}

TEST(CompareRounds, a_large_difference_wins_or_loses) {
  EXPECT_EQ(compare({1.2, 1.2, 1.2}).verdict, Verdict::kWin);
  EXPECT_EQ(compare({0.8, 0.8, 0.8}).verdict, Verdict::kLose);
}

TEST(CompareRounds, a_small_difference_well_known_is_a_tie) {
  EXPECT_EQ(compare({1.01, 1.01, 1.01}, 0.001).verdict, Verdict::kTie);
}

TEST(CompareRounds, noise_of_starts_leaves_it_undecided) {
  EXPECT_EQ(compare({1.03, 1.03, 1.03}, 0.10).verdict, Verdict::kUndecided);
}

// A burst during one start: 36 % in that round, nothing in the other.
TEST(CompareRounds, rounds_that_contradict_each_other_leave_it_undecided) {
  EXPECT_EQ(compare({1.85, 0.99}).verdict, Verdict::kUndecided);
}

// t(0.975, 13) = 2.160; s² = (2·1e-4·10 + 0) / 13; 2.160 · √(s² / 4) = 0.013397.
TEST(CompareRounds, the_interval_pools_the_rounds_with_the_noise_of_starts) {
  const RatioVerdict result = compare({1.1, 1.1, 1.1, 1.1});
  EXPECT_NEAR(result.ratio, 1.1, 1e-12);
  EXPECT_NEAR(result.interval.low, 1.1 * std::exp(-0.013397), 1e-5);
  EXPECT_NEAR(result.interval.high, 1.1 * std::exp(0.013397), 1e-5);
}

TEST(CompareRounds, one_round_decides_nothing) {
  const RatioVerdict result = compare({2.0});
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_DOUBLE_EQ(result.ratio, 2.0);
  EXPECT_EQ(result.interval.high, std::numeric_limits<double>::infinity());
  EXPECT_EQ(compare({}).verdict, Verdict::kUndecided);
}

Decision sure_decision() {
  Decision decision;
  decision.confidence = 0.98;
  decision.loss = 0.02;
  return decision;
}

Rival rival_with(Verdict verdict) {
  Rival rival;
  rival.recommended_to_it.verdict = verdict;
  rival.recommended_to_it.interval = {0.90, 0.95};
  return rival;
}

TEST(ApplyLostVerdicts, lowers_a_confidence_that_a_verdict_contradicts) {
  for (auto rival : {&Decision::runner_up, &Decision::present}) {
    Decision decision = sure_decision();
    decision.*rival = rival_with(Verdict::kLose);
    apply_lost_verdicts(decision, 0.95);
    EXPECT_NEAR(decision.confidence, 0.05, 1e-12);
    EXPECT_NEAR(decision.loss, 0.10, 1e-12);
  }
}

TEST(ApplyLostVerdicts, keeps_a_confidence_that_no_verdict_contradicts) {
  Decision decision = sure_decision();
  decision.runner_up = rival_with(Verdict::kTie);
  apply_lost_verdicts(decision, 0.95);
  EXPECT_EQ(decision.confidence, 0.98);
  EXPECT_EQ(decision.loss, 0.02);
}

}  // namespace
}  // namespace feedrate
