// SPDX-License-Identifier: Apache-2.0
#include "core/uncertain.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Mean 5, squares of deviations 32: s^2 = 32/7, and s^2 / 8 = 4/7.
TEST(UncertainMean, by_hand) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const Uncertain figure = uncertain_mean(values);
  EXPECT_DOUBLE_EQ(figure.value, 5.0);
  EXPECT_DOUBLE_EQ(figure.standard_error, std::sqrt(4.0 / 7.0));
  EXPECT_DOUBLE_EQ(figure.freedom, 7.0);
}

TEST(UncertainMean, has_the_interval_of_students_t) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const Interval interval = interval_of(uncertain_mean(values), 0.95);
  const Interval expected = confidence_interval(values, 0.95);
  EXPECT_DOUBLE_EQ(interval.low, expected.low);
  EXPECT_DOUBLE_EQ(interval.high, expected.high);
}

// 3 % and 4 % make 5 %; (25e-4)^2 / ((9e-4)^2 / 2 + (16e-4)^2 / 4) = 625 / (40.5 + 64) = 5.980861.
TEST(LogRatio, adds_relative_errors_in_quadrature_and_their_freedom_by_welch) {
  const Uncertain figure = log_ratio({200.0, 6.0, 2.0}, {100.0, 4.0, 4.0});
  EXPECT_DOUBLE_EQ(figure.value, std::log(2.0));
  EXPECT_DOUBLE_EQ(figure.standard_error, 0.05);
  EXPECT_NEAR(figure.freedom, 5.980861, 1e-6);
}

// 3 % and 4 % make 5 %; (25e-4)^2 / ((9e-4)^2 / 2) = 625 / 40.5.
TEST(Widened, adds_an_error_whose_size_is_known) {
  const Uncertain figure = widened({2.0, 0.03, 2.0}, 0.04);
  EXPECT_EQ(figure.value, 2.0);
  EXPECT_DOUBLE_EQ(figure.standard_error, 0.05);
  EXPECT_NEAR(figure.freedom, 15.432099, 1e-6);
}

TEST(Widened, by_nothing_is_as_it_was) {
  const Uncertain figure = widened({2.0, 0.03, 2.0}, 0.0);
  EXPECT_DOUBLE_EQ(figure.standard_error, 0.03);
  EXPECT_DOUBLE_EQ(figure.freedom, 2.0);
}

TEST(LogRatio, of_equal_errors_has_the_freedom_of_both) {
  EXPECT_DOUBLE_EQ(log_ratio({10.0, 1.0, 2.0}, {20.0, 2.0, 2.0}).freedom, 4.0);
}

TEST(LogRatio, of_an_exact_figure_has_the_freedom_of_the_other_one) {
  EXPECT_DOUBLE_EQ(log_ratio({10.0, 0.0, 2.0}, {20.0, 2.0, 3.0}).freedom, 3.0);
}

TEST(LogRatio, of_exact_figures_is_exact) {
  const Interval interval = interval_of(log_ratio({10.0, 0.0, 2.0}, {10.0, 0.0, 2.0}), 0.95);
  EXPECT_EQ(interval.low, 0.0);
  EXPECT_EQ(interval.high, 0.0);
}

TEST(LogRatio, the_other_way_round_is_its_negative) {
  const Uncertain one = log_ratio({30.0, 2.0, 2.0}, {20.0, 1.0, 5.0});
  const Uncertain other = log_ratio({20.0, 1.0, 5.0}, {30.0, 2.0, 2.0});
  EXPECT_DOUBLE_EQ(one.value, -other.value);
  EXPECT_DOUBLE_EQ(one.standard_error, other.standard_error);
  EXPECT_DOUBLE_EQ(one.freedom, other.freedom);
}

// Errors of 3 and 4 make sqrt(9 + 16) / 2; freedom 625 / (81/2 + 256/2) = 3.709199.
TEST(MeanOf, by_hand) {
  const std::vector<Uncertain> figures{{1.0, 3.0, 2.0}, {5.0, 4.0, 2.0}};
  const Uncertain figure = mean_of(figures);
  EXPECT_DOUBLE_EQ(figure.value, 3.0);
  EXPECT_DOUBLE_EQ(figure.standard_error, 2.5);
  EXPECT_NEAR(figure.freedom, 3.709199, 1e-6);
}

// t(0.975, infinity) is the normal quantile, 1.959964.
TEST(IntervalOf, is_normal_where_the_error_is_known) {
  EXPECT_NEAR(interval_of({0.0, 1.0, kInfinity}, 0.95).high, 1.959964, 1e-6);
}

TEST(IntervalOf, is_wider_with_few_degrees_of_freedom) {
  EXPECT_NEAR(interval_of({0.0, 1.0, 2.0}, 0.95).low, -4.302653, 1e-6);
}

// Where the interval of 95 % just ends at 0, t = -4.302653 with 2 degrees of freedom.
TEST(PBelowZero, is_half_of_what_the_interval_leaves_out) {
  EXPECT_NEAR(p_of_below_zero({-4.302653, 1.0, 2.0}), 0.025, 1e-6);
  EXPECT_NEAR(p_of_below_zero({-1.959964, 1.0, kInfinity}), 0.025, 1e-6);
  EXPECT_DOUBLE_EQ(p_of_below_zero({0.0, 1.0, 2.0}), 0.5);
}

TEST(LogRatio, has_an_unknown_error_if_squares_overflow) {
  const Uncertain ratio = log_ratio({1e-300, 1e300, 1.0}, {1.0, 0.1, 1.0});
  EXPECT_EQ(interval_of(ratio, 0.95).low, -kInfinity);
  EXPECT_EQ(interval_of(ratio, 0.95).high, kInfinity);
  EXPECT_EQ(p_of_below_zero(ratio), 0.5);
}

TEST(PBelowZero, is_certain_of_exact_figures) {
  EXPECT_EQ(p_of_below_zero({-0.1, 0.0, 2.0}), 0.0);
  EXPECT_EQ(p_of_below_zero({0.0, 0.0, 2.0}), 1.0);
}

}  // namespace
}  // namespace feedrate
