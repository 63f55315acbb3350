// SPDX-License-Identifier: Apache-2.0
#include "core/json_depth.h"

#include <string>

#include <gtest/gtest.h>

namespace feedrate::testing {
namespace {

TEST(JsonDepth, counts_arrays_and_objects_that_are_open_at_a_time) {
  EXPECT_FALSE(is_nested_deeper(R"({"a":[1,[2]]})", 3));
  EXPECT_TRUE(is_nested_deeper(R"({"a":[1,[2]]})", 2));
  EXPECT_FALSE(is_nested_deeper("[[],[],[[]]]", 3));
}

TEST(JsonDepth, ignores_brackets_in_strings) {
  EXPECT_FALSE(is_nested_deeper(R"(["[[[", "\"[[[", "\\"])", 1));
  EXPECT_TRUE(is_nested_deeper(R"(["\\",[]])", 1));
}

TEST(JsonDepth, takes_any_text) {
  EXPECT_FALSE(is_nested_deeper("", 0));
  EXPECT_FALSE(is_nested_deeper("]]]}\"\\", 0));
  EXPECT_TRUE(is_nested_deeper(std::string(100'000, '[')));
}

}  // namespace
}  // namespace feedrate::testing
