// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/table_number.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(parse_table_number, takes_seconds_as_they_are_printed) {
  const auto seconds = [](const char* text) {
    return parse_table_number(text, Unit::kSeconds).value_or(-1.0);
  };
  EXPECT_EQ(seconds("81.492809s"), 81.492809);
  EXPECT_EQ(seconds("0.140631 s"), 0.140631);
  EXPECT_EQ(seconds("5,307"), 5307.0);
  EXPECT_EQ(seconds("2,721,884.5 us"), 2721884.5e-6);
  EXPECT_DOUBLE_EQ(seconds("250 ms"), 0.25);
  EXPECT_DOUBLE_EQ(seconds("250 \u00b5s"), 250e-6);
  EXPECT_DOUBLE_EQ(seconds("1m23.4s"), 83.4) << "the shell's time";
  EXPECT_DOUBLE_EQ(seconds("2 min 5 sec"), 125.0);
  EXPECT_DOUBLE_EQ(seconds("1h 2m"), 3720.0);
  EXPECT_DOUBLE_EQ(seconds("1:23.4"), 83.4);
  EXPECT_DOUBLE_EQ(seconds("1:02:03"), 3723.0);
  EXPECT_DOUBLE_EQ(seconds(" 12 seconds "), 12.0);
}

TEST(parse_table_number, takes_rates_of_samples_only) {
  const auto rate = [](const char* text) {
    return parse_table_number(text, Unit::kSamplesPerSecond).value_or(-1.0);
  };
  EXPECT_EQ(rate("1,234/s"), 1234.0);
  EXPECT_EQ(rate("1.2k/s"), 1200.0);
  EXPECT_EQ(rate("2,180 img/s"), 2180.0);
  EXPECT_EQ(rate("390 samples/sec"), 390.0);
  EXPECT_EQ(rate("12 it/s"), -1.0) << "iterations";
  EXPECT_EQ(rate("12 batches/s"), -1.0);
}

// A comma that separates no thousands may be a decimal comma.
TEST(parse_table_number, refuses_ambiguous_numbers) {
  for (const char* const text : {"", " ", "81,49", "1,2345", "12,34,567", ",5", "5,", "fast", "1 2",
                                 "s", "1:2:3:4", "10 %", "1.2.3", "5,307,8"}) {
    EXPECT_FALSE(parse_table_number(text, Unit::kSeconds)) << text;
  }
  EXPECT_FALSE(parse_table_number("5 s", Unit::kCount));
}

}  // namespace
}  // namespace feedrate
