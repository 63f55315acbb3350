// SPDX-License-Identifier: Apache-2.0
#include "core/comparisons_with_best.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/statistics.h"

namespace feedrate {
namespace {

TreatmentFit fit(double effect, double deviation, std::size_t blocks) {
  TreatmentFit fit{effect, deviation, 10.0, {}};
  for (std::size_t i = 0; i < blocks; ++i) fit.blocks.push_back(i);
  return fit;
}

// Šidák's level of two treatments is the confidence itself, one-sided: t(0.95, 10) = 1.812461.
TEST(ComparisonsWithBest, of_two_are_one_sided_intervals_of_their_difference) {
  const std::vector<TreatmentFit> fits{fit(0.10, 0.02, 4), fit(0.0, 0.02, 4)};
  const auto comparisons = compare_with_best(fits, 0.95);
  const double half = 1.812461 * 0.02 * std::sqrt(2.0 / 4.0);
  EXPECT_NEAR(comparisons[1].most, 0.10 + half, 1e-6);
  EXPECT_NEAR(comparisons[1].least, 0.10 - half, 1e-6);
  EXPECT_EQ(comparisons[0].most, 0.0);
  EXPECT_EQ(comparisons[0].least, 0.0);
}

// 0.95^(1/3) = 0.983048: t(0.983048, 10) = 2.450 by the tables of Šidák's one-sided test.
TEST(ComparisonsWithBest, widen_with_more_treatments) {
  const std::vector<TreatmentFit> fits(4, fit(0.0, 0.02, 4));
  const double t = student_t(2.0 * std::pow(0.95, 1.0 / 3.0) - 1.0, 10.0);
  EXPECT_NEAR(compare_with_best(fits, 0.95)[0].most, t * 0.02 * std::sqrt(0.5), 1e-9);
  EXPECT_GT(t, 1.812461);
}

TEST(ComparisonsWithBest, find_a_single_treatment_the_best) {
  EXPECT_EQ(compare_with_best(std::vector<TreatmentFit>{fit(1.0, 0.1, 1)}, 0.95)[0].most, 0.0);
}

TEST(ComparisonsWithBest, are_unbounded_for_treatments_without_a_common_block) {
  TreatmentFit other = fit(0.0, 0.02, 1);
  other.blocks = {7};
  const auto comparisons =
      compare_with_best(std::vector<TreatmentFit>{fit(0.1, 0.02, 3), other}, 0.95);
  EXPECT_TRUE(std::isinf(comparisons[0].most));
  EXPECT_TRUE(std::isinf(comparisons[1].most));
  EXPECT_EQ(comparisons[1].least, 0.0);
}

TEST(ComparisonsWithBest, resolve_smaller_differences_with_more_blocks) {
  const TreatmentFit a = fit(0.1, 0.05, 3), b = fit(0.0, 0.05, 3);
  const double blocks = blocks_for(0.02, a, b, 5, 0.95);
  const auto count = static_cast<std::size_t>(blocks);
  EXPECT_LE(resolution(fit(0.1, 0.05, count), fit(0.0, 0.05, count), 5, 0.95), 0.02);
  EXPECT_GT(resolution(fit(0.1, 0.05, count - 1), fit(0.0, 0.05, count - 1), 5, 0.95), 0.02);
}

}  // namespace
}  // namespace feedrate
