#include "profile/trace_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::Optional;

TraceEvent read(std::string_view text, EventParse expected = EventParse::kRead) {
  TraceEvent event;
  EXPECT_EQ(parse_trace_event(text, event), expected) << text;
  return event;
}

TEST(TraceEvent, takes_a_kernel_of_todays_layout) {
  const TraceEvent event = read(R"({
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

TEST(TraceEvent, takes_the_old_layout) {
  const TraceEvent event = read(R"({"ph": "X", "cat": "Kernel", "pid": 0, "tid": "stream 7",
    "ts": 1623143089862500, "dur": 400, "args": {"external id": 3, "correlation": "17"}})");
  EXPECT_EQ(event.category, "kernel");
  EXPECT_EQ(event.thread, 7);
  EXPECT_THAT(event.begin, Optional(Nanos(1'623'143'089'862'500'000)));
  EXPECT_THAT(event.duration, Optional(Nanos(400'000)));
  EXPECT_EQ(event.external_id, 3U);
  EXPECT_EQ(event.correlation, 17U);
}

TEST(TraceEvent, keys_outside_of_their_place_mean_nothing) {
  const TraceEvent event = read(
      R"({"name": "a", "other": {"ts": 5, "correlation": 3, "list": [{"dur": 3}]}, "args": {"ts": 6, "pid": 3}, "device": 4})");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.duration);
  EXPECT_EQ(event.correlation, 0U);
  EXPECT_EQ(event.process, 0);
  EXPECT_FALSE(event.device);
}

TEST(TraceEvent, nothing_is_left_of_the_event_before) {
  TraceEvent event = read(
      R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 2, "args": {"device": 3}})");
  EXPECT_EQ(parse_trace_event("{}", event), EventParse::kRead);
  EXPECT_EQ(event.phase, '\0');
  EXPECT_EQ(event.name, "");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.device);
}

TEST(TraceEvent, what_is_almost_json_is_repaired) {
  const TraceEvent event = read(
      R"({"ph": "X", "name": "the "name"", "ts": 5, "dur": 1, "args": {"blocks per SM": N/A}})",
      EventParse::kRepaired);
  EXPECT_EQ(event.name, "the \"name\"");
  EXPECT_EQ(event.blocks_per_sm, 0);
}

TEST(TraceEvent, what_is_no_json_is_unreadable) {
  for (const char* text : {"", "{", R"({"a" 1})", R"({"a": 1} x)", "[1, 2", R"({"a": "b})"}) {
    TraceEvent event;
    EXPECT_EQ(parse_trace_event(text, event), EventParse::kUnreadable) << text;
  }
}

TEST(TraceEvent, numbers_out_of_all_range_do_no_harm) {
  const TraceEvent event = read(
      R"({"ts": 99999999999999999999, "dur": 1e300, "pid": -9223372036854775808,
          "args": {"bytes": 18446744073709551615, "correlation": -1, "device": 1e30, "External id": 1.5}})");
  EXPECT_FALSE(event.begin);
  EXPECT_FALSE(event.duration);
  EXPECT_EQ(event.bytes, 18446744073709551615U);
  EXPECT_EQ(event.correlation, 0U);
  EXPECT_EQ(event.external_id, 1U);
}

TEST(ParseMicroseconds, is_exact_where_a_double_is_not) {
  EXPECT_THAT(parse_microseconds("1700000000123456.789"),
              Optional(Nanos(1'700'000'000'123'456'789)));
  EXPECT_THAT(parse_microseconds("1700000000123456.001"),
              Optional(Nanos(1'700'000'000'123'456'001)));
}

TEST(ParseMicroseconds, takes_any_number_of_decimals) {
  EXPECT_THAT(parse_microseconds("7"), Optional(Nanos(7000)));
  EXPECT_THAT(parse_microseconds("7.5"), Optional(Nanos(7500)));
  EXPECT_THAT(parse_microseconds("7.05"), Optional(Nanos(7050)));
  EXPECT_THAT(parse_microseconds("0.0015"), Optional(Nanos(2)));
  EXPECT_THAT(parse_microseconds("0.001499999"), Optional(Nanos(1)));
  EXPECT_THAT(parse_microseconds("-1.25"), Optional(Nanos(-1250)));
  EXPECT_THAT(parse_microseconds("-0.5"), Optional(Nanos(-500)));
  EXPECT_THAT(parse_microseconds("1.5e3"), Optional(Nanos(1'500'000)));
}

TEST(ParseMicroseconds, refuses_what_is_no_time) {
  for (const char* text : {"", "-", "x", "1x", "1.5.2", "--1", "N/A", "1e99", "nan", "inf",
                           "9223372036854775807", "-9000000000000000", "1e"}) {
    EXPECT_FALSE(parse_microseconds(text)) << text;
  }
}

TEST(PlainlyUnneeded, arrows_counters_and_frames_are_told_by_their_beginning) {
  EXPECT_TRUE(is_plainly_unneeded(R"({"ph": "s", "id": 5)"));
  EXPECT_TRUE(
      is_plainly_unneeded("{\n  \"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"a\"}"));
  for (const char* text :
       {R"({"ph": "X", "cat": "cpu_op"})", R"({"ph": "M"})", R"({"ph": "i"})",
        R"({"cat": "python_function", "ph": "X"})", R"({"ph": "X"})", "{", "", R"({"ph")",
        R"({"ph": ")", R"({"ph": "X", "cat": "python_functions"})"}) {
    EXPECT_FALSE(is_plainly_unneeded(text)) << text;
  }
}

}  // namespace
}  // namespace feedrate
