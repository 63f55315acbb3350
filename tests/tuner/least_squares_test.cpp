#include "tuner/least_squares.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tuner/linear.h"

namespace feedrate {
namespace {

// 4 2     2 0   2 1
// 2 5  =  1 2 · 0 2
TEST(linear, cholesky_factors_by_hand) {
  SquareMatrix matrix(2);
  matrix.at(0, 0) = 4.0;
  matrix.at(1, 0) = 2.0;
  matrix.at(1, 1) = 5.0;
  const auto lower = cholesky(matrix);
  ASSERT_TRUE(lower);
  EXPECT_DOUBLE_EQ(lower->at(0, 0), 2.0);
  EXPECT_DOUBLE_EQ(lower->at(1, 0), 1.0);
  EXPECT_DOUBLE_EQ(lower->at(1, 1), 2.0);
  const std::vector<double> right{8.0, 12.0};
  const std::vector<double> x = cholesky_solve(*lower, right);
  EXPECT_DOUBLE_EQ(x[0], 1.0);
  EXPECT_DOUBLE_EQ(x[1], 2.0);
}

TEST(linear, an_indefinite_matrix_has_no_factor) {
  SquareMatrix matrix(2);
  matrix.at(0, 0) = 1.0;
  matrix.at(1, 0) = 2.0;
  matrix.at(1, 1) = 1.0;
  EXPECT_FALSE(cholesky(matrix));
}

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

}  // namespace
}  // namespace feedrate
