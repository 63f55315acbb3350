// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/least_squares.h"

#include <cmath>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(least_squares, finds_the_parameters_of_a_curve) {
  const auto residuals = [](std::span<const double> p) {
    std::vector<double> values;
    for (const double x : {0.0, 1.0, 2.0, 3.0}) {
      values.push_back(p[0] * std::exp(p[1] * x) - 2.0 * std::exp(-0.5 * x));
    }
    return values;
  };
  const std::vector<double> found = least_squares(residuals, {1.0, 0.0}, 1e-6, 30);
  EXPECT_NEAR(found[0], 2.0, 1e-5);
  EXPECT_NEAR(found[1], -0.5, 1e-5);
}

TEST(least_squares, stays_where_nothing_is_better) {
  const auto flat = [](std::span<const double>) { return std::vector<double>{1.0}; };
  EXPECT_EQ(least_squares(flat, {3.0}, 1e-3, 5), std::vector<double>{3.0});
}

TEST(least_squares, stays_where_the_residuals_are_no_numbers) {
  const auto broken = [](std::span<const double> p) {
    return std::vector<double>{std::log(-p[0])};
  };
  EXPECT_EQ(least_squares(broken, {3.0}, 1e-3, 5), std::vector<double>{3.0});
}

}  // namespace
}  // namespace feedrate
