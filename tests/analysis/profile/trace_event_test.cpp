// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::Optional;

TEST(ParseMicroseconds, is_exact_where_a_double_is_not) {
  EXPECT_THAT(parse_microseconds("1700000000123456.789"),
              Optional(Nanos(1'700'000'000'123'456'789)));
  EXPECT_THAT(parse_microseconds("1700000000123456.001"),
              Optional(Nanos(1'700'000'000'123'456'001)));
}

TEST(ParseMicroseconds, accepts_any_number_of_decimals) {
  EXPECT_THAT(parse_microseconds("7"), Optional(Nanos(7000)));
  EXPECT_THAT(parse_microseconds("7.5"), Optional(Nanos(7500)));
  EXPECT_THAT(parse_microseconds("7.05"), Optional(Nanos(7050)));
  EXPECT_THAT(parse_microseconds("0.0015"), Optional(Nanos(2)));
  EXPECT_THAT(parse_microseconds("0.001499999"), Optional(Nanos(1)));
  EXPECT_THAT(parse_microseconds("-1.25"), Optional(Nanos(-1250)));
  EXPECT_THAT(parse_microseconds("-0.5"), Optional(Nanos(-500)));
  EXPECT_THAT(parse_microseconds("1.5e3"), Optional(Nanos(1'500'000)));
}

TEST(ParseMicroseconds, rejects_text_that_is_no_time) {
  for (const char* text : {"", "-", "x", "1x", "1.5.2", "--1", "N/A", "1e99", "nan", "inf",
                           "9223372036854775807", "-9000000000000000", "1e"}) {
    EXPECT_FALSE(parse_microseconds(text)) << text;
  }
}

}  // namespace
}  // namespace feedrate
