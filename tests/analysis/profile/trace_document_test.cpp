// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_document.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/profile/string_input.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::StringInput;

struct Collected : TraceSink {
  std::vector<TraceEvent> events;
  std::vector<bool> repaired;
  std::vector<GpuProperties> gpus;
  std::optional<std::uint64_t> rank;
  std::vector<std::pair<std::string, std::string>> facts;
  TraceDocument document;

  void take_event(TraceEvent& event, bool is_repaired) override {
    events.push_back(event);
    repaired.push_back(is_repaired);
  }
  void take_gpu(GpuProperties gpu) override { gpus.push_back(std::move(gpu)); }
  void take_rank(std::uint64_t found) override { rank = found; }
  void take_fact(std::string_view name, std::string_view value) override {
    facts.emplace_back(name, value);
  }
};

Collected read_document(const std::string& text, std::size_t at_once = 1 << 20) {
  StringInput input(text, at_once);
  Collected found;
  found.document = read_trace_document(input, found);
  return found;
}

TraceEvent read_event(const std::string& text) {
  const Collected found = read_document("[" + text + "]");
  EXPECT_THAT(found.events, SizeIs(1)) << text;
  EXPECT_FALSE(found.document.damaged_at) << text;
  return found.events.at(0);
}

std::vector<std::string> event_names(const Collected& found) {
  std::vector<std::string> names;
  for (const TraceEvent& event : found.events) names.push_back(event.name);
  return names;
}

TEST(TraceDocument, reads_a_kernel_of_todays_layout) {
  const TraceEvent event = read_event(R"({
    "ph": "X", "cat": "kernel", "name": "sgemm", "pid": 1, "tid": 7, "ts": 1000.125, "dur": 20.5,
    "args": {"External id": 3, "device": 1, "context": 1, "stream": 20, "correlation": 11,
      "blocks per SM": 2.25, "grid": [216, 1, 1], "est. achieved occupancy %": 50,
      "nested": {"device": 9, "name": "x"}, "bytes": 12}})");
  EXPECT_EQ(event.phase, 'X');
  EXPECT_EQ(event.category, "kernel");
  EXPECT_EQ(event.name, "sgemm");
  EXPECT_EQ(event.process, 1);
  EXPECT_EQ(event.thread, 7);
  EXPECT_THAT(event.begin, Optional(Nanos(1'000'125)));
  EXPECT_THAT(event.duration, Optional(Nanos(20'500)));
  EXPECT_EQ(event.external_id, 3U);
  EXPECT_THAT(event.device, Optional(1));
  EXPECT_THAT(event.stream, Optional(20));
  EXPECT_EQ(event.correlation, 11U);
  EXPECT_EQ(event.blocks_per_sm, 2.25);
  EXPECT_EQ(event.occupancy_percent, 50);
  EXPECT_EQ(event.bytes, 12U);
}

TEST(TraceDocument, reads_the_old_layout) {
  const TraceEvent event = read_event(R"({"ph": "X", "cat": "Kernel", "pid": 0, "tid": "stream 7",
    "ts": 1623143089862500, "dur": 400, "args": {"external id": 3, "correlation": "17"}})");
  EXPECT_EQ(event.category, "kernel");
  EXPECT_EQ(event.thread, 7);
  EXPECT_THAT(event.begin, Optional(Nanos(1'623'143'089'862'500'000)));
  EXPECT_THAT(event.duration, Optional(Nanos(400'000)));
  EXPECT_EQ(event.external_id, 3U);
  EXPECT_EQ(event.correlation, 17U);
}

TEST(TraceDocument, keys_at_other_depths_are_ignored) {
  const TraceEvent event = read_event(
      R"({"name": "a", "other": {"ts": 5, "correlation": 3, "list": [{"dur": 3}]}, "args": {"ts": 6, "pid": 3}, "device": 4})");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.duration);
  EXPECT_EQ(event.correlation, 0U);
  EXPECT_EQ(event.process, 0);
  EXPECT_FALSE(event.device);
}

TEST(TraceDocument, no_field_of_the_previous_event_remains) {
  const Collected found = read_document(
      R"([{"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 2, "args": {"device": 3}}, {}])");
  ASSERT_THAT(found.events, SizeIs(2));
  const TraceEvent& event = found.events[1];
  EXPECT_EQ(event.phase, '\0');
  EXPECT_EQ(event.name, "");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.device);
}

TEST(TraceDocument, numbers_out_of_all_range_do_no_harm) {
  const TraceEvent event = read_event(
      R"({"ts": 99999999999999999999, "dur": 1e300, "pid": -9223372036854775808,
          "args": {"bytes": 18446744073709551615, "correlation": -1, "device": 1e30, "External id": 1.5}})");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.duration);
  EXPECT_EQ(event.bytes, 18446744073709551615U);
  EXPECT_EQ(event.correlation, 0U);
  EXPECT_EQ(event.external_id, 1U);
}

TEST(TraceDocument, passes_on_other_members_in_any_order) {
  const std::string text =
      R"({"a": 1, "traceEvents": [{"name": "x", "args": {"y": [1, {"z": 2}]}}, {"name": "w"}],
      "b": {"c": [2], "d": "no"}, "e": "text", "f": true, "g": -1.50, "h": null,
      "distributedInfo": {"backend": "nccl", "rank": 3, "more": {"rank": 4}},
      "deviceProperties": [{"id": 1, "name": "A", "totalGlobalMem": 5, "more": {"id": 7}}, 9, {}]})";
  for (const std::size_t at_once : {1U, 1U << 20}) {
    const Collected found = read_document(text, at_once);
    EXPECT_THAT(event_names(found), ElementsAre("x", "w"));
    EXPECT_THAT(found.facts, ElementsAre(Pair("a", "1"), Pair("e", "text"), Pair("f", "true"),
                                         Pair("g", "-1.50")));
    EXPECT_THAT(found.rank, Optional(3U));
    ASSERT_THAT(found.gpus, SizeIs(2));
    EXPECT_EQ(found.gpus[0].device, 1);
    EXPECT_EQ(found.gpus[0].name, "A");
    EXPECT_EQ(found.gpus[0].memory_bytes, 5U);
    EXPECT_TRUE(found.document.has_events);
    EXPECT_FALSE(found.document.is_truncated);
    EXPECT_FALSE(found.document.damaged_at);
  }
}

TEST(TraceDocument, a_bare_list_is_of_events_and_may_lack_its_bracket) {
  for (const char* text :
       {R"([{"name": "a"}, {"name": "b"}])", R"([{"name": "a"}, {"name": "b"},)"}) {
    const Collected found = read_document(text);
    EXPECT_THAT(event_names(found), ElementsAre("a", "b"));
    EXPECT_FALSE(found.document.is_truncated);
    EXPECT_FALSE(found.document.damaged_at);
  }
}

TEST(TraceDocument, events_that_are_no_objects_are_skipped) {
  EXPECT_THAT(
      event_names(read_document(R"([{"name": "a"}, 5, "x", [{"name": "no"}], {"name": "b"}])")),
      ElementsAre("a", "b"));
}

TEST(TraceDocument, reports_which_events_are_invalid_json) {
  const Collected found = read_document(
      R"({"a": N/A, "traceEvents": [{"x": 1}, {"x": Infinity}, {"x": {"y": "a "b" c"}}, {"x": 2}, ]})");
  EXPECT_THAT(found.repaired, ElementsAre(false, true, true, false));
}

TEST(TraceDocument, passes_on_the_whole_events_of_a_truncated_document) {
  const std::string text = R"({"traceEvents": [{"a": 1}, {"b": "xyz"}], "c": 3})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    for (const std::size_t zeros : {0U, 5000U}) {
      const Collected found = read_document(text.substr(0, length) + std::string(zeros, '\0'));
      EXPECT_TRUE(found.document.is_truncated) << length;
      EXPECT_FALSE(found.document.damaged_at) << length;
      EXPECT_EQ(found.events.size(), (length >= 25 ? 1U : 0U) + (length >= 39 ? 1U : 0U)) << length;
    }
  }
}

TEST(TraceDocument, ends_at_damage_and_reports_its_offset) {
  for (const char* damage :
       {R"({"ph": "X" "name" 5})", R"({"a": {"x": 1})", R"({"a": 1: 2})", "]", "}"}) {
    const std::string text =
        R"({"traceEvents": [{"name": "a"}, )" + std::string(damage) + R"(, {"name": "b"}]})";
    const Collected found = read_document(text);
    EXPECT_FALSE(found.document.is_truncated) << damage;
    ASSERT_TRUE(found.document.damaged_at) << damage;
    EXPECT_GT(*found.document.damaged_at, text.find(damage)) << damage;
    EXPECT_LE(*found.document.damaged_at, text.size()) << damage;
    EXPECT_EQ(found.events.at(0).name, "a");
  }
}

TEST(TraceDocument, too_deep_nesting_is_damage) {
  for (const char* opening : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string deep = R"({"traceEvents": [{"a": )";
    for (int i = 0; i < 200'000; ++i) deep += opening;
    EXPECT_TRUE(read_document(deep).document.damaged_at);
  }
}

TEST(TraceDocument, a_document_that_is_no_object_has_no_events) {
  for (const char* text : {"", "   ", "<!DOCTYPE html><html lang=\"en\">[{\"a\": 1}]</html>", "42",
                           "{\"a\": 1}", "{]", "{\"a\" 1}", "{\"a", "\"text\"",
                           "{\"traceEvents\": 5}", "{\"traceEvents\": {\"a\": {}}}"}) {
    const Collected found = read_document(text);
    EXPECT_FALSE(found.document.has_events) << text;
    EXPECT_THAT(found.events, IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace feedrate
