// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

const std::vector<double> kEight{2, 4, 4, 4,
                                 5, 5, 7, 9};  // mean 5, squares of deviations sum to 32

TEST(Statistics, mean_and_unbiased_deviation_by_hand) {
  EXPECT_DOUBLE_EQ(mean(kEight), 5.0);
  EXPECT_DOUBLE_EQ(sample_stddev(kEight), std::sqrt(32.0 / 7.0));
}

TEST(Statistics, percentiles_interpolate_as_numpy_does) {
  const std::vector<double> values{40, 10, 30, 20};
  EXPECT_DOUBLE_EQ(percentile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 25.0);
  EXPECT_DOUBLE_EQ(percentile(values, 0.9), 37.0);
  EXPECT_DOUBLE_EQ(percentile(values, 1.0), 40.0);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{3, 1, 2}), 2.0);
}

TEST(Statistics, empty_input_gives_not_a_number) {
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(exponential_moving_average({}, 0.1)));
  EXPECT_TRUE(std::isnan(sample_stddev(std::vector<double>{1.0})));
}

TEST(Statistics, exponential_moving_average_by_hand) {
  EXPECT_DOUBLE_EQ(exponential_moving_average(std::vector<double>{10, 20, 20}, 0.5), 17.5);
}

// t(0.975, 7) = 2.364624; half width = 2.364624 * sqrt(32/7) / sqrt(8) = 1.787489.
TEST(Statistics, student_interval_by_hand) {
  const Interval interval = confidence_interval(kEight, 0.95);
  EXPECT_NEAR(interval.low, 5.0 - 1.787489, 1e-5);
  EXPECT_NEAR(interval.high, 5.0 + 1.787489, 1e-5);
}

TEST(Statistics, one_value_has_an_infinite_interval) {
  EXPECT_TRUE(std::isinf(confidence_interval(std::vector<double>{1.0}, 0.95).high));
}

}  // namespace
}  // namespace feedrate
