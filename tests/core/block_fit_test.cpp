// SPDX-License-Identifier: Apache-2.0
#include "core/block_fit.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/random.h"

namespace feedrate {
namespace {

// `rows` has a row per treatment and a column per block; NaN is a missing value.
std::vector<BlockValue> values_of(const std::vector<std::vector<double>>& rows) {
  std::vector<BlockValue> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t block = 0; block < rows[i].size(); ++block) {
      if (std::isfinite(rows[i][block])) values.push_back({i, block, rows[i][block]});
    }
  }
  return values;
}

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

TEST(BlockFit, removes_the_effect_of_each_block) {
  const auto fits = fit_blocks(values_of({{1.0, 6.0, 2.0}, {2.0, 7.0, 3.0}}), 2);
  EXPECT_NEAR(fits[1].effect - fits[0].effect, 1.0, 1e-12);
  EXPECT_NEAR(fits[0].deviation, 0.0, 1e-9);
}

TEST(BlockFit, uses_the_other_blocks_of_a_treatment_that_misses_one) {
  const auto fits =
      fit_blocks(values_of({{1.0, 6.0, kNoValue}, {2.0, 7.0, 3.0}, {4.0, 9.0, 5.0}}), 3);
  EXPECT_NEAR(fits[1].effect - fits[0].effect, 1.0, 1e-6);
  EXPECT_EQ(fits[0].blocks, (std::vector<std::size_t>{0, 1}));
}

// Residuals of ±1 in four values: their squares add up to 4 with (2 - 1)(2 - 1) = 1 degree of
// freedom.
TEST(BlockFit, gives_the_deviation_of_one_value) {
  const auto fits = fit_blocks(values_of({{1.0, -1.0}, {-1.0, 1.0}}), 2);
  EXPECT_NEAR(fits[0].deviation, 2.0, 1e-6);
  EXPECT_DOUBLE_EQ(fits[0].freedom, 1.0);
  // sqrt(2² + 2²) / sqrt(2 blocks).
  EXPECT_NEAR(error_of_difference(fits[0], fits[1]), 2.0, 1e-6);
}

TEST(BlockFit, knows_no_deviation_of_one_block) {
  const auto fits = fit_blocks(values_of({{1.0}, {2.0}}), 2);
  EXPECT_NEAR(fits[1].effect - fits[0].effect, 1.0, 1e-12);
  EXPECT_TRUE(std::isinf(fits[0].deviation));
  EXPECT_TRUE(std::isinf(error_of_difference(fits[0], fits[1])));
}

TEST(BlockFit, is_robust_against_one_outlier) {
  std::vector<std::vector<double>> rows(6, std::vector<double>(6));
  RandomStream random(7);
  for (auto& row : rows) {
    for (double& value : row) value = 0.01 * random.normal();
  }
  const auto before = fit_blocks(values_of(rows), rows.size());
  rows[2][3] -= 1.0;  // would move the row's mean by a sixth
  const auto after = fit_blocks(values_of(rows), rows.size());
  EXPECT_NEAR(after[2].effect - after[0].effect, before[2].effect - before[0].effect, 0.02);
}

TEST(BlockFit, distinguishes_treatments_with_different_scatter) {
  std::vector<std::vector<double>> rows(12, std::vector<double>(12));
  RandomStream random(3);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (double& value : rows[i]) value = (i < 2 ? 0.3 : 0.01) * random.normal();
  }
  const auto fits = fit_blocks(values_of(rows), rows.size());
  EXPECT_GT(fits[0].deviation, 5.0 * fits[5].deviation);
}

TEST(BlockFit, pools_the_scatter_of_similar_treatments) {
  std::vector<std::vector<double>> rows(400, std::vector<double>(3));
  RandomStream random(5);
  for (auto& row : rows) {
    for (double& value : row) value = 0.1 * random.normal();
  }
  for (const TreatmentFit& fit : fit_blocks(values_of(rows), rows.size())) {
    EXPECT_NEAR(fit.deviation, 0.1, 0.05);
  }
}

}  // namespace
}  // namespace feedrate
