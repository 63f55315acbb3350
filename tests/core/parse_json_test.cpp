// SPDX-License-Identifier: Apache-2.0
#include "core/parse_json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace feedrate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

void expect_refused(const std::string& text, const ::testing::Matcher<const std::string&>& why) {
  EXPECT_THAT([&] { static_cast<void>(parse_json<nlohmann::json>(text, "run.json")); },
              ThrowsMessage<FormatError>(why));
}

TEST(ParseJson, reads_what_is_json) {
  EXPECT_EQ(parse_json<nlohmann::json>(R"({"a": [1, 2]})", "run.json").at("a")[1], 2);
  const std::string deepest = std::string(kDeepestJson, '[') + std::string(kDeepestJson, ']');
  EXPECT_TRUE(parse_json<nlohmann::ordered_json>(deepest, "run.json").is_array());
}

TEST(ParseJson, refuses_what_is_nested_too_deep_before_it_is_parsed) {
  expect_refused(std::string(100'000, '[') + std::string(100'000, ']'),
                 "run.json: JSON is nested more than 64 deep");
}

TEST(ParseJson, names_the_file_of_invalid_json) {
  expect_refused("{\"a\": }", StartsWith("run.json: byte 7: "));
  expect_refused("[1e999]", HasSubstr("run.json: "));
}

}  // namespace
}  // namespace feedrate::testing
