// SPDX-License-Identifier: Apache-2.0
#include "core/block_contrast.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/statistics.h"

namespace feedrate {
namespace {

TreatmentFit fit_of(double effect, double deviation, double freedom, std::size_t blocks) {
  TreatmentFit fit{effect, deviation, freedom, {}};
  for (std::size_t i = 0; i < blocks; ++i) fit.blocks.push_back(i);
  return fit;
}

TEST(BlockContrast, of_two_treatments_has_the_error_of_their_difference) {
  const std::vector<TreatmentFit> fits{fit_of(1.0, 0.3, 8.0, 4), fit_of(3.0, 0.4, 8.0, 4)};
  const Contrast difference = contrast_of(fits, {{1, 1.0}, {0, -1.0}});
  EXPECT_DOUBLE_EQ(difference.value, 2.0);
  EXPECT_NEAR(difference.error, error_of_difference(fits[0], fits[1]), 1e-12);
}

// Welch and Satterthwaite: (a + b)^2 / (a^2 / f + b^2 / g), with a = 0.09 / 3 and b = 0.36 / 3.
TEST(BlockContrast, has_the_degrees_of_freedom_of_welch_and_satterthwaite) {
  const std::vector<TreatmentFit> fits{fit_of(0.0, 0.3, 2.0, 3), fit_of(0.0, 0.6, 2.0, 3)};
  const Contrast difference = contrast_of(fits, {{0, 1.0}, {1, -1.0}});
  EXPECT_NEAR(difference.freedom, 0.15 * 0.15 / (0.0009 / 2.0 + 0.0144 / 2.0), 1e-9);
}

TEST(BlockContrast, has_no_more_degrees_of_freedom_than_its_values_leave) {
  const std::vector<TreatmentFit> fits{fit_of(0.0, 0.3, 90.0, 3), fit_of(0.0, 0.3, 90.0, 3)};
  EXPECT_DOUBLE_EQ(contrast_of(fits, {{0, 1.0}, {1, -1.0}}).freedom, 4.0);
}

TEST(BlockContrast, has_half_an_interval_of_students_t) {
  EXPECT_NEAR(half_interval({1.0, 0.5, 4.0}, 0.95), 0.5 * student_t(0.95, 4.0), 1e-12);
}

TEST(BlockContrast, of_values_without_scatter_is_exact) {
  const std::vector<TreatmentFit> fits{fit_of(1.0, 0.0, 2.0, 3), fit_of(3.0, 0.0, 2.0, 3)};
  EXPECT_DOUBLE_EQ(half_interval(contrast_of(fits, {{1, 1.0}, {0, -1.0}}), 0.95), 0.0);
}

TEST(BlockContrast, is_unbounded_if_the_scatter_is_unknown) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<TreatmentFit> fits{fit_of(1.0, kInfinity, 0.0, 1),
                                       fit_of(3.0, kInfinity, 0.0, 1)};
  EXPECT_TRUE(std::isinf(half_interval(contrast_of(fits, {{1, 1.0}, {0, -1.0}}), 0.95)));
}

}  // namespace
}  // namespace feedrate
