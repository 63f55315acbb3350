// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/profile/string_input.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using testing::StringInput;

std::string corrected(const std::string& text, std::size_t at_once = 1 << 20) {
  StringInput input(text, at_once);
  JsonText json(input);
  std::string all;
  for (auto piece = json.next(); !piece.empty(); piece = json.next()) all += piece;
  return all;
}

Json parsed(const std::string& text) { return Json::parse(corrected(text), nullptr, false); }

TEST(JsonText, json_keeps_its_meaning) {
  const char* const text =
      R"({"a": [1, -2.5e+3, 0.125, true, false, null, {}, []], "b": "x\"\\\/\b\f\n\r\t\u00e9 ü €", "c": {"d": ""}})";
  EXPECT_EQ(parsed(text), Json::parse(text));
}

TEST(JsonText, unknown_words_become_null) {
  EXPECT_EQ(parsed(R"({"a": N/A, "b": NaN, "c": -Infinity, "d": [inf, -nan , N/A of 3]})"),
            Json::parse(R"({"a": null, "b": null, "c": null, "d": [null, null, null]})"));
}

TEST(JsonText, quotes_within_texts_get_a_backslash) {
  EXPECT_EQ(parsed(R"({"name": "train "fast" epoch", "x": ["a" b"]})"),
            Json::parse(R"({"name": "train \"fast\" epoch", "x": ["a\" b"]})"));
}

TEST(JsonText, control_characters_become_blanks) {
  EXPECT_EQ(parsed("{\"a\": \"x\ny\tz\x01\x7F\"}"), Json::parse("{\"a\": \"x y z \x7F\"}"));
}

TEST(JsonText, wrong_escapes_are_taken_literally) {
  EXPECT_EQ(parsed(R"({"a": "C:\Users\u12", "b": 1})"),
            Json::parse(R"({"a": "C:\\Users\\u12", "b": 1})"));
}

TEST(JsonText, bytes_that_are_not_utf8_become_question_marks) {
  EXPECT_EQ(
      parsed("{\"a\": \"\xC3\xA9 \xE9 \xF0\x9F\x98\x80 \xED\xA0\x80 \xC0\xAF \xF5 \xE2\x82\"}"),
      Json::parse("{\"a\": \"\xC3\xA9 ? \xF0\x9F\x98\x80 ??? ?? ? ??\"}"));
}

TEST(JsonText, stray_commas_are_dropped) {
  EXPECT_EQ(parsed(R"({,"a": {"b": 1,}, "c": [,,1,,2,],})"),
            Json::parse(R"({"a": {"b": 1}, "c": [1, 2]})"));
}

TEST(JsonText, the_size_of_reads_changes_nothing) {
  const std::string text =
      "\xEF\xBB\xBF {\"a\" : \"x\\\"y\\u00e9\" , \"b\" : [ {\"c\": \"un\"quoted\" , \"d\": N/A} , "
      "\n "
      "{\"e\\\\\": -1.5} , ] , \"f\xC3\xA9\" : 2 }";
  const std::string whole = corrected(text);
  EXPECT_EQ(whole,
            "{\"a\":\"x\\\"y\\u00e9\",\"b\":[{\"c\":\"un\\\"quoted\",\"d\":null},"
            "{\"e\\\\\":-1.5}],\"f\xC3\xA9\":2}");
  for (const std::size_t at_once : {1U, 2U, 3U, 7U}) EXPECT_EQ(corrected(text, at_once), whole);
}

TEST(JsonText, pieces_end_after_brackets_and_count_repairs) {
  StringInput input(R"([{"a": NaN}, {"b": 1}, {"c": "\x"}])");
  JsonText json(input);
  std::vector<std::string> pieces;
  std::vector<std::uint64_t> repairs;
  for (auto piece = json.next(); !piece.empty(); piece = json.next()) {
    pieces.emplace_back(piece);
    repairs.push_back(json.repairs());
  }
  EXPECT_THAT(pieces,
              ElementsAre("[", "{", R"("a":null})", ",{", R"("b":1})", ",{", R"("c":"\\x"})", "]"));
  EXPECT_THAT(repairs, ElementsAre(0, 0, 1, 1, 1, 1, 2, 2));
}

// A machine's crash may leave zero bytes in a file.
TEST(JsonText, a_zero_byte_is_the_end) {
  for (const std::string text : {"[1, ", "[\"ab"}) {
    StringInput input(text + std::string(5000, '\0') + "]");
    JsonText json(input);
    std::string all;
    for (auto piece = json.next(); !piece.empty(); piece = json.next()) all += piece;
    EXPECT_THAT(all, ::testing::Not(::testing::HasSubstr("]")));
    EXPECT_TRUE(json.is_at_end());
    EXPECT_EQ(json.offset(), text.size());
  }
}

TEST(JsonText, a_text_that_is_too_long_ends_it) {
  const std::string text = "[\"" + std::string(12U << 20, 'x') + "\", 1]";
  StringInput input(text);
  JsonText json(input);
  std::size_t size = 0;
  for (auto piece = json.next(); !piece.empty(); piece = json.next()) size += piece.size();
  EXPECT_LT(size, 8U << 20);
  EXPECT_FALSE(json.is_at_end());
}

TEST(JsonText, endless_blanks_and_words_need_no_memory_of_their_size) {
  const std::string blanks(12U << 20, ' ');
  EXPECT_EQ(corrected("[1," + blanks + "\"a\"" + blanks + "]" + blanks), "[1,\"a\"]");
  EXPECT_EQ(corrected("[" + std::string(12U << 20, '1') + "]"), "[null]");
}

TEST(JsonText, any_bytes_are_accepted) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += static_cast<char>((i * 7919 + i / 13) & 0xFF);
  for (std::size_t from = 0; from < text.size(); from += 97) {
    EXPECT_LE(corrected(text.substr(from)).size(), 5 * text.size());
  }
  EXPECT_EQ(corrected(""), "");
  EXPECT_EQ(corrected("\"\\"), "\"\\\\");
}

}  // namespace
}  // namespace feedrate
