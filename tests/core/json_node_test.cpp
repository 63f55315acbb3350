// SPDX-License-Identifier: Apache-2.0
#include "core/json_node.h"

#include <cmath>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

JsonNode node(const std::string& text) { return {text, "run.json"}; }

void expect_refused(const std::string& text, const std::function<void(const JsonNode&)>& read,
                    const ::testing::Matcher<const std::string&>& why) {
  EXPECT_THAT([&] { read(node(text)); }, ThrowsMessage<FormatError>(why)) << text;
}

TEST(JsonNode, reads_values_of_each_type) {
  const JsonNode root = node(R"({"a": "x", "b": true, "c": -3, "d": 4, "e": 0.5, "f": null})");
  EXPECT_EQ(root.at("a").text(), "x");
  EXPECT_TRUE(root.at("b").flag());
  EXPECT_EQ(root.at("c").integer(), -3);
  EXPECT_EQ(root.at("d").whole(), 4U);
  EXPECT_EQ(root.at("e").number(), 0.5);
  EXPECT_TRUE(root.at("f").is_null());
  EXPECT_EQ(root.at("f").text_or_empty(), "");
  EXPECT_TRUE(root.find("g").is_null());
}

TEST(JsonNode, keeps_the_order_of_members_and_elements) {
  const JsonNode root = node(R"({"z": [1, 2], "a": ["x"], "m": [0.5, null]})");
  std::string names;
  for (const auto& [name, value] : root.members()) names += name;
  EXPECT_EQ(names, "zam");
  EXPECT_THAT(root.at("z").integers(), ElementsAre(1, 2));
  EXPECT_THAT(root.at("a").texts(), ElementsAre("x"));
  EXPECT_TRUE(std::isnan(root.at("m").numbers()[1]));
}

TEST(JsonNode, names_the_path_of_a_wrong_value) {
  const std::string text = R"({"cells": [{}, {"settings": {"format": 7}}]})";
  expect_refused(
      text,
      [](const JsonNode& root) {
        static_cast<void>(root.at("cells").elements()[1].at("settings").at("format").text());
      },
      "run.json: $.cells[1].settings.format: is 7; must be a text");
  expect_refused(
      text, [](const JsonNode& root) { static_cast<void>(root.at("axes")); },
      "run.json: $.axes: is missing");
}

TEST(JsonNode, refuses_numbers_that_do_not_fit) {
  const auto whole = [](const JsonNode& one) { static_cast<void>(one.whole(10)); };
  const auto integer = [](const JsonNode& one) { static_cast<void>(one.integer(0)); };
  for (const char* const text : {"1.5", "1e77", "-1", "11", "\"1\""}) {
    expect_refused(text, whole, StartsWith("run.json: $: "));
  }
  for (const char* const text : {"1.5", "1e77", "-1", "9223372036854775808", "null"}) {
    expect_refused(text, integer, StartsWith("run.json: $: "));
  }
  expect_refused(
      "[1, 2.5]", [](const JsonNode& one) { static_cast<void>(one.integers()); },
      HasSubstr("must be a list of integers"));
}

TEST(JsonNode, shortens_a_long_value_in_an_error) {
  expect_refused(
      '"' + std::string(100'000, 'x') + '"',
      [](const JsonNode& one) { static_cast<void>(one.flag()); }, HasSubstr("xx...; must be"));
}

TEST(JsonNode, refuses_text_that_is_nested_too_deep_before_it_is_parsed) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(node(nested(kDeepestJson)).elements().size(), 1U);
  for (const std::string& text : {nested(kDeepestJson + 1), std::string(100'000, '['),
                                  "[\"\\\\\"," + nested(kDeepestJson) + "]"}) {
    expect_refused(
        text, [](const JsonNode&) {}, "run.json: JSON is nested more than 64 deep");
  }
  const std::string in_a_string = "[\"" + std::string(100, '[') + "\\\"[\"]";
  EXPECT_EQ(node(in_a_string).texts().front().size(), 102U);
}

TEST(JsonNode, names_the_byte_where_the_text_is_no_json) {
  expect_refused(
      "{\"a\": }", [](const JsonNode&) {}, StartsWith("run.json: byte 7: "));
  expect_refused(
      "[1e999]", [](const JsonNode&) {}, HasSubstr("run.json: "));
}

}  // namespace
}  // namespace feedrate
