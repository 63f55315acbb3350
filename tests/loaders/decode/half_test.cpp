// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "loaders/decode/to_tensor.h"

namespace feedrate {
namespace {

TEST(Half, keeps_values_that_it_can_represent) {
  EXPECT_EQ(to_half(0.0F), 0x0000);
  EXPECT_EQ(to_half(-0.0F), 0x8000);
  EXPECT_EQ(to_half(1.0F), 0x3c00);
  EXPECT_EQ(to_half(-1.5F), 0xbe00);
  EXPECT_EQ(to_half(65504.0F), 0x7bff);
  EXPECT_EQ(to_half(std::ldexp(1.0F, -14)), 0x0400);  // the smallest normal number
  EXPECT_EQ(to_half(std::ldexp(1.0F, -24)), 0x0001);  // the smallest positive number
}

TEST(Half, rounds_to_nearest_ties_to_even) {
  const float ulp = std::ldexp(1.0F, -10);
  EXPECT_EQ(to_half(1.0F + 0.5F * ulp), 0x3c00);
  EXPECT_EQ(to_half(1.0F + 0.51F * ulp), 0x3c01);
  EXPECT_EQ(to_half(1.0F + 1.5F * ulp), 0x3c02);
  EXPECT_EQ(to_half(2.0F - 0.25F * ulp), 0x4000);  // carries into the exponent
  EXPECT_EQ(to_half(std::ldexp(1.5F, -25)), 0x0001);
  EXPECT_EQ(to_half(std::ldexp(1.0F, -25)), 0x0000);
  EXPECT_EQ(to_half(std::ldexp(1023.9F, -24)), 0x0400);
}

TEST(Half, too_large_is_infinite) {
  EXPECT_EQ(to_half(65519.0F), 0x7bff);
  EXPECT_EQ(to_half(65520.0F), 0x7c00);
  EXPECT_EQ(to_half(-1e30F), 0xfc00);
  EXPECT_EQ(to_half(std::numeric_limits<float>::infinity()), 0x7c00);
}

TEST(Half, keeps_nan) {
  EXPECT_EQ(to_half(std::numeric_limits<float>::quiet_NaN()) & 0x7e00, 0x7e00);
}

}  // namespace
}  // namespace feedrate
