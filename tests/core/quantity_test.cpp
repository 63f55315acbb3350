// SPDX-License-Identifier: Apache-2.0
#include "core/quantity.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(parse_quantity, knows_bytes_and_bytes_a_second) {
  EXPECT_EQ(parse_quantity("100GB/s", Quantity::kBytes), 100e9);
  EXPECT_EQ(parse_quantity("110KB", Quantity::kBytes), 110e3);
  EXPECT_EQ(parse_quantity("110 kB", Quantity::kBytes), 110e3);
  EXPECT_EQ(parse_quantity("1.5MiB", Quantity::kBytes), 1.5 * 1024 * 1024);
  EXPECT_EQ(parse_quantity("4096", Quantity::kBytes), 4096.0);
}

TEST(parse_quantity, knows_seconds) {
  EXPECT_DOUBLE_EQ(*parse_quantity("1ms", Quantity::kSeconds), 1e-3);
  EXPECT_DOUBLE_EQ(*parse_quantity("250us", Quantity::kSeconds), 250e-6);
  EXPECT_DOUBLE_EQ(*parse_quantity("2", Quantity::kSeconds), 2.0);
}

TEST(parse_quantity, knows_counts) {
  EXPECT_EQ(parse_quantity("50k/s", Quantity::kCount), 50e3);
  EXPECT_EQ(parse_quantity("1.2M", Quantity::kCount), 1.2e6);
}

TEST(parse_quantity, takes_nothing_else) {
  EXPECT_FALSE(parse_quantity("", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("fast", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("-1GB", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("inf", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("1GBs", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("1ms", Quantity::kBytes));
  EXPECT_FALSE(parse_quantity("1kB", Quantity::kCount));
  EXPECT_FALSE(parse_quantity("1min", Quantity::kSeconds));
}

}  // namespace
}  // namespace feedrate
