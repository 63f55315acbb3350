// SPDX-License-Identifier: Apache-2.0
#include "core/parse_number.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(ParseNumber, takes_all_of_a_text) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<int>("-42"), -42);
  EXPECT_EQ(parse_number<double>("2.5e3"), 2500.0);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
}

TEST(ParseNumber, refuses_text_around_a_number) {
  for (const char* text : {"", " 4", "4 ", "+4", "4x", "x4", "4.0", "--4", "-"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_number<int>(std::string_view("4\0", 2)), std::nullopt);
  EXPECT_EQ(parse_number<int>(std::string_view()), std::nullopt);
}

TEST(ParseNumber, refuses_what_the_type_cannot_hold) {
  EXPECT_EQ(parse_number<int>("2147483648"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
}

TEST(ParseNumber, takes_another_base_or_format) {
  EXPECT_EQ(parse_number<int>("755", 8), 0755);
  EXPECT_EQ(parse_number<int>("789", 8), std::nullopt);
  EXPECT_EQ(parse_number<double>("1e3", std::chars_format::fixed), std::nullopt);
}

}  // namespace
}  // namespace feedrate
