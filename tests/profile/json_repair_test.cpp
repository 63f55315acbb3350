#include "profile/json_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using Json = nlohmann::json;

Json repaired(std::string_view text) { return Json::parse(repaired_json(text), nullptr, false); }

TEST(JsonRepair, json_keeps_its_meaning) {
  const char* const text =
      R"({"a": [1, -2.5e+3, 0.125, true, false, null, {}, []], "b": "x\"\\\/\b\f\n\r\t\u00e9 ü €", "c": {"d": ""}})";
  EXPECT_EQ(repaired(text), Json::parse(text));
}

TEST(JsonRepair, words_that_json_does_not_know_become_null) {
  EXPECT_EQ(
      repaired(R"({"a": N/A, "b": NaN, "c": -Infinity, "d": [inf, 01, .5, 1., +1, 1 2, 0x1F]})"),
      Json::parse(R"({"a": null, "b": null, "c": null,
                           "d": [null, null, null, null, null, null, null]})"));
}

TEST(JsonRepair, quotes_within_texts_get_a_backslash) {
  EXPECT_EQ(repaired(R"({"name": "train "fast" epoch", "x": ["a" b"]})"),
            Json::parse(R"({"name": "train \"fast\" epoch", "x": ["a\" b"]})"));
}

TEST(JsonRepair, control_characters_become_blanks) {
  EXPECT_EQ(repaired("{\"a\": \"x\ny\tz\x01\"}"), Json::parse(R"({"a": "x y z "})"));
}

TEST(JsonRepair, wrong_escapes_are_taken_literally) {
  EXPECT_EQ(repaired(R"({"a": "C:\Users\u12", "b": 1})"),
            Json::parse(R"({"a": "C:\\Users\\u12", "b": 1})"));
}

TEST(JsonRepair, bytes_that_are_not_utf8_become_question_marks) {
  EXPECT_EQ(
      repaired("{\"a\": \"\xC3\xA9 \xE9 \xF0\x9F\x98\x80 \xED\xA0\x80 \xC0\xAF \xF5 \xE2\x82\"}"),
      Json::parse("{\"a\": \"\xC3\xA9 ? \xF0\x9F\x98\x80 ??? ?? ? ??\"}"));
}

TEST(JsonRepair, stray_commas_go_and_missing_values_become_null) {
  EXPECT_EQ(repaired(R"({,"a": ,"b": [1,,2,], "c":})"),
            Json::parse(R"({"a": null, "b": [1, 2], "c": null})"));
}

TEST(JsonRepair, any_bytes_are_taken) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>((i * 7919 + i / 13) & 0xFF);
  for (std::size_t from = 0; from < text.size(); from += 97) {
    EXPECT_LE(repaired_json(std::string_view(text).substr(from)).size(), 5 * text.size());
  }
  EXPECT_EQ(repaired_json(""), "");
  EXPECT_EQ(repaired_json("\"\\"), "\"\\\\\"");
}

}  // namespace
}  // namespace feedrate
