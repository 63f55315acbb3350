// SPDX-License-Identifier: Apache-2.0
#include "core/format.h"

#include <limits>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(FormatValue, scales_seconds) {
  EXPECT_EQ(format_value(0.0351, Unit::kSeconds), "35.1 ms");
  EXPECT_EQ(format_value(1.24, Unit::kSeconds), "1.24 s");
  EXPECT_EQ(format_value(0.000312, Unit::kSeconds), "312 µs");
  EXPECT_EQ(format_value(2.5e-8, Unit::kSeconds), "25.0 ns");
  EXPECT_EQ(format_value(0.0, Unit::kSeconds), "0 s");
  EXPECT_EQ(format_value(7200.0, Unit::kSeconds), "7,200 s");
}

TEST(FormatValue, shows_what_rounds_up_in_the_next_unit) {
  EXPECT_EQ(format_value(0.99996, Unit::kSeconds), "1.00 s");
  EXPECT_EQ(format_value(999.9e6, Unit::kBytes), "1.00 GB");
}

TEST(FormatValue, scales_bytes_by_thousands) {
  EXPECT_EQ(format_value(1.3e9, Unit::kBytes), "1.30 GB");
  EXPECT_EQ(format_value(512.0, Unit::kBytes), "512 B");
  EXPECT_EQ(format_value(0.0, Unit::kBytes), "0 B");
}

TEST(FormatValue, separates_thousands) {
  EXPECT_EQ(format_value(12345.4, Unit::kSamplesPerSecond), "12,345/s");
  EXPECT_EQ(format_value(1234567.0, Unit::kCount), "1,234,567");
  EXPECT_EQ(format_value(999.0, Unit::kCount), "999");
  EXPECT_EQ(format_value(-1234.0, Unit::kCount), "-1,234");
}

TEST(FormatValue, shows_ratios_in_percent) {
  EXPECT_EQ(format_value(0.46154, Unit::kRatio), "46.2 %");
  EXPECT_EQ(format_value(1.0, Unit::kRatio), "100.0 %");
}

TEST(FormatValue, shows_a_dash_for_what_is_missing) {
  EXPECT_EQ(format_value(kNaN, Unit::kRatio), "–");
  EXPECT_EQ(format_value(std::numeric_limits<double>::infinity(), Unit::kSeconds), "–");
}

TEST(FormatNumber, keeps_three_digits_below_a_thousand) {
  EXPECT_EQ(format_number(928.6), "929");
  EXPECT_EQ(format_number(99.96), "100");
  EXPECT_EQ(format_number(9.996), "10.0");
  EXPECT_EQ(format_number(0.01234), "0.0123");
  EXPECT_EQ(format_number(0.0), "0");
}

TEST(FormatGain, has_a_sign_but_no_negative_zero) {
  EXPECT_EQ(format_gain(0.04), "+4.0 %");
  EXPECT_EQ(format_gain(-0.0831), "-8.3 %");
  EXPECT_EQ(format_gain(-0.0004), "+0.0 %");
  EXPECT_EQ(format_gain(std::numeric_limits<double>::quiet_NaN()), kMissing);
}

TEST(FormatDuration, counts_seconds_minutes_and_hours) {
  EXPECT_EQ(format_duration(0.2), "0 s");
  EXPECT_EQ(format_duration(59.6), "1 min 0 s");
  EXPECT_EQ(format_duration(80.0), "1 min 20 s");
  EXPECT_EQ(format_duration(7500.0), "2 h 5 min");
  EXPECT_EQ(format_duration(kNaN), "–");
}

TEST(FormatValue, of_a_verdict_is_a_word) {
  EXPECT_EQ(format_value(1.0, Unit::kVerdict), "pass");
  EXPECT_EQ(format_value(0.0, Unit::kVerdict), "fail");
}

}  // namespace
}  // namespace feedrate
