#include "profile/json_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profile/string_input.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::StringInput;

struct Split {
  std::vector<std::string> elements;
  std::vector<std::string> members;
  bool found_array = false;
  bool is_cut = false;
};

Split split(const std::string& text, std::size_t at_once = 1 << 20) {
  StringInput input(text, at_once);
  JsonSplitter splitter(input, "events");
  Split result;
  while (const auto piece = splitter.next()) {
    if (piece->kind == JsonPiece::Kind::kElement) {
      result.elements.emplace_back(piece->text);
    } else {
      result.members.push_back(piece->key + '=' + std::string(piece->text));
    }
  }
  result.found_array = splitter.found_array();
  result.is_cut = splitter.is_cut();
  return result;
}

TEST(JsonSplitter, gives_members_and_elements_in_any_order_of_keys) {
  const Split result = split(R"({"a": 1, "events": [{"x": [1, {"y": "}]"}]}, {}], "b": {"c": [2]},
                                "d": "text", "e": true})");
  EXPECT_THAT(result.elements, ElementsAre(R"({"x": [1, {"y": "}]"}]})", "{}"));
  EXPECT_THAT(result.members, ElementsAre("a=1", R"(b={"c": [2]})", R"(d="text")", "e=true"));
  EXPECT_TRUE(result.found_array);
  EXPECT_FALSE(result.is_cut);
}

TEST(JsonSplitter, a_bare_array_is_the_array) {
  const Split result = split(R"([{"a": 1}, {"a": 2}])");
  EXPECT_THAT(result.elements, ElementsAre(R"({"a": 1})", R"({"a": 2})"));
  EXPECT_FALSE(result.is_cut);
}

// As the format of Chrome's traces allows.
TEST(JsonSplitter, a_bare_array_may_lack_its_bracket) {
  EXPECT_FALSE(split(R"([{"a": 1},)").is_cut);
}

TEST(JsonSplitter, how_many_bytes_come_at_once_changes_nothing) {
  const std::string text =
      "\xEF\xBB\xBF {\"a\" : \"x\\\"y\" , \"events\" : [ {\"b\": \"un\"quoted\" , \"c\": N/A} , \n "
      "{\"d\\\\\": 1} ] , \"e\" : 2 }";
  const Split whole = split(text);
  EXPECT_THAT(whole.elements, ElementsAre(R"({"b": "un"quoted" , "c": N/A})", R"({"d\\": 1})"));
  EXPECT_THAT(whole.members, ElementsAre(R"(a="x\"y")", "e=2 "));
  for (const std::size_t at_once : {1U, 2U, 3U, 7U}) {
    const Split pieces = split(text, at_once);
    EXPECT_EQ(pieces.elements, whole.elements) << at_once;
    EXPECT_EQ(pieces.members, whole.members) << at_once;
    EXPECT_FALSE(pieces.is_cut) << at_once;
  }
}

TEST(JsonSplitter, quotes_within_a_text_do_not_end_it) {
  EXPECT_THAT(split(R"({"events": [{"name": "a "b" c", "x": 1}, {"y": 2}]})").elements,
              ElementsAre(R"({"name": "a "b" c", "x": 1})", R"({"y": 2})"));
}

TEST(JsonSplitter, stray_commas_are_passed_over) {
  EXPECT_THAT(split(R"({"events": [,{"a": 1},,{"b": 2},],})").elements,
              ElementsAre(R"({"a": 1})", R"({"b": 2})"));
}

TEST(JsonSplitter, a_document_that_stops_gives_what_is_whole) {
  const std::string text = R"({"events": [{"a": 1}, {"b": "xyz"}], "c": 3})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Split result = split(text.substr(0, length));
    EXPECT_TRUE(result.is_cut) << length;
    EXPECT_EQ(result.elements.size(), (length >= 20 ? 1U : 0U) + (length >= 34 ? 1U : 0U))
        << length;
  }
}

// As a crash of the machine leaves a file.
TEST(JsonSplitter, zeros_at_the_end_are_the_end) {
  const Split result = split(R"({"events": [{"a": 1}, )" + std::string(5000, '\0'));
  EXPECT_THAT(result.elements, ElementsAre(R"({"a": 1})"));
  EXPECT_TRUE(result.is_cut);
}

TEST(JsonSplitter, what_is_no_object_has_no_array) {
  for (const char* text : {"", "   ", "<!DOCTYPE html><html lang=\"en\">[{\"a\": 1}]</html>", "42",
                           "{\"a\": 1}", "{]", "{\"a\" 1}", "{\"a", "\"text\""}) {
    const Split result = split(text);
    EXPECT_FALSE(result.found_array) << text;
    EXPECT_THAT(result.elements, IsEmpty()) << text;
  }
}

TEST(JsonSplitter, what_is_no_object_among_elements_is_one_damaged_piece) {
  EXPECT_THAT(split(R"({"events": [{"a": 1}, 5 "x" nonsense, {"b": 2}]})").elements,
              ElementsAre(R"({"a": 1})", "", R"({"b": 2})"));
}

TEST(JsonSplitter, after_a_missing_end_goes_on_with_the_next_element) {
  StringInput input(R"({"events": [{"a": "no end, "b": 1}, {"c": 2}, {"d": 3}], "e": 4})");
  JsonSplitter splitter(input, "events");
  EXPECT_EQ(splitter.next()->text, R"({"a": "no end, "b": 1})");
  splitter.reject();
  EXPECT_EQ(splitter.next()->text, R"({"c": 2})");
}

// The end of the first is missing, so it takes the second one with it until that is rejected.
TEST(JsonSplitter, an_element_that_swallowed_others_gives_them_back) {
  StringInput input(R"({"events": [{"a": {"x": 1}, {"c": 2}}, {"d": 3}], "e": 4})");
  JsonSplitter splitter(input, "events");
  EXPECT_EQ(splitter.next()->text, R"({"a": {"x": 1}, {"c": 2}})");
  splitter.reject();
  EXPECT_EQ(splitter.next()->text, R"({"c": 2})");
  EXPECT_EQ(splitter.next()->text, R"({"d": 3})");
  const auto member = splitter.next();
  ASSERT_TRUE(member);
  EXPECT_EQ(member->key, "e");
}

TEST(JsonSplitter, an_element_without_end_gives_back_what_follows) {
  const Split result = split(R"({"events": [{"a": {"x": {, {"c": 2}, {"d": 3}], "e": 4})");
  EXPECT_THAT(result.elements, ElementsAre("", R"({"c": 2})", R"({"d": 3})"));
  EXPECT_THAT(result.members, ElementsAre("e=4"));
}

TEST(JsonSplitter, brackets_within_damage_do_not_end_the_array) {
  StringInput input(R"({"events": [{"a": {"x": [{"y": 1}]}, {"c": 2}, {"d": 3}], "e": 4})");
  JsonSplitter splitter(input, "events");
  EXPECT_EQ(splitter.next()->text, R"({"a": {"x": [{"y": 1}]}, {"c": 2}, {"d": 3}])");
  splitter.reject();
  EXPECT_EQ(splitter.next()->text, R"({"y": 1})");
  EXPECT_EQ(splitter.next()->text, R"({"c": 2})");
  EXPECT_EQ(splitter.next()->text, R"({"d": 3})");
}

// As where an element's end is missing and the one before it is long rejected.
TEST(JsonSplitter, stray_brackets_do_not_end_the_array) {
  for (const char* stray : {"]", "}", "]}", "}]", "]]}}, ]"}) {
    const std::string text = std::string("{\"a\": 1}") + stray + ", {\"b\": 2}";
    EXPECT_THAT(split("{\"events\": [" + text + "], \"c\": 3}").elements,
                ElementsAre("{\"a\": 1}", "{\"b\": 2}"))
        << stray;
    EXPECT_THAT(split("[" + text + "]").elements, ElementsAre("{\"a\": 1}", "{\"b\": 2}")) << stray;
  }
}

TEST(JsonSplitter, deep_nesting_is_damage) {
  for (const char* opening : {"[", "{\"a\":"}) {
    std::string deep = R"({"events": [{"a": )";
    for (int i = 0; i < 200'000; ++i) deep += opening;
    EXPECT_TRUE(split(deep).is_cut);
    EXPECT_THAT(split(deep + ", {\"b\": 1}]}").elements, ElementsAre("", R"({"b": 1})"));
  }
}

TEST(JsonSplitter, what_is_nested_deeper_than_any_event_is_damage) {
  const std::string deep = R"({"a": )" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_THAT(split(R"({"events": [)" + deep + R"(, {"b": 1}]})").elements,
              ElementsAre("", R"({"b": 1})"));
}

// Each level looks like the beginning of an element.
TEST(JsonSplitter, deep_nesting_of_elements_takes_time_in_proportion) {
  std::string deep = R"({"events": )";
  for (int i = 0; i < 1'000'000; ++i) deep += "[{\"a\":";
  EXPECT_TRUE(split(deep).is_cut);
}

TEST(JsonSplitter, a_text_longer_than_can_be_held_is_passed_over) {
  const std::string endless(12U << 20, 'x');
  const Split result = split(R"({"skip": ")" + endless + R"(", "events": [{"a": ")" + endless +
                             R"("}, {"b": 1}], "c": 2})");
  EXPECT_THAT(result.elements, ElementsAre("", R"({"b": 1})"));
  EXPECT_THAT(result.members, ElementsAre("skip=", "c=2"));
}

// Every element begins a text that never ends: looking for each end anew would take hours.
TEST(JsonSplitter, damage_everywhere_takes_time_in_proportion) {
  std::string text = R"({"events": [)";
  while (text.size() < (24U << 20)) text += R"({"a": "x, )";
  EXPECT_TRUE(split(text).is_cut);
}

TEST(JsonSplitter, endless_blanks_need_no_memory_of_their_size) {
  const std::string blanks(12U << 20, ' ');
  const Split result = split("{\"events\":" + blanks + "[{\"a\": 1}," + blanks + "{\"b\": \"c\"" +
                             blanks + "}, {\"d\": 1}]" + blanks + "}");
  EXPECT_THAT(result.elements, ElementsAre(R"({"a": 1})", "", R"({"d": 1})"));
}

}  // namespace
}  // namespace feedrate
