// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_writer.h"

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace feedrate {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Activity host(Timeline& timeline, Role role, const char* name, TimeInterval span) {
  Activity activity;
  activity.role = role;
  activity.name = timeline.names.id(name);
  activity.span = span;
  activity.process = 1000;
  activity.lane = 1000;
  return activity;
}

// A step that launches one copy and has one counter sample; times in ns, starting at 5 s.
Timeline one_step() {
  const auto at = [](std::int64_t ns) { return Nanos(5'000'000'000 + ns); };
  Timeline timeline;
  timeline.main_lane = {1000, 1000};
  timeline.lane_names[{1000, 1000}] = "training loop";
  timeline.lane_names[{0, 7}] = "copy stream";
  timeline.gpus.push_back({.device = 0,
                           .name = "simulated: a100-pcie4",
                           .memory_bytes = 80'000'000'000,
                           .compute_major = 8,
                           .multiprocessors = 108});
  timeline.steps.push_back({7, {at(0), at(30'000)}});
  timeline.activities.push_back(
      host(timeline, Role::kDataLoader, "enumerate(DataLoader)#a \"b\".__next__", {at(0), at(1)}));
  timeline.activities.push_back(
      host(timeline, Role::kRuntime, "cudaMemcpyAsync", {at(1'001), at(2'500)}));
  timeline.activities.back().correlation = 3;
  Activity copy =
      host(timeline, Role::kMemcpy, "Memcpy HtoD (Pinned -> Device)", {at(2'000), at(12'000)});
  copy.device = 0;
  copy.lane = 7;
  copy.correlation = 3;
  copy.bytes = 250'000;
  timeline.activities.push_back(copy);
  timeline.counters["ready batches"].push_back({at(1'500), 2.0});
  return timeline;
}

std::string text_of(const Timeline& timeline) {
  std::ostringstream out;
  write_trace(out, timeline, {"feedrate", {{"simulated", "yes: a100-pcie4"}}});
  return out.str();
}

json events_named(const std::string& text, const std::string& name) {
  const json trace = json::parse(text);
  json found = json::array();
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == name) found.push_back(event);
  }
  return found;
}

TEST(TraceWriter, times_are_exact_microseconds_from_the_first_one) {
  const json calls = events_named(text_of(one_step()), "cudaMemcpyAsync");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].at("ts"), 1.001);
  EXPECT_EQ(calls[0].at("dur"), 1.499);
}

TEST(TraceWriter, names_are_escaped) {
  EXPECT_EQ(events_named(text_of(one_step()), "enumerate(DataLoader)#a \"b\".__next__").size(), 1U);
}

TEST(TraceWriter, steps_are_annotations_of_the_profiler_on_the_main_lane) {
  const json steps = events_named(text_of(one_step()), "ProfilerStep#7");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].at("cat"), "user_annotation");
  EXPECT_EQ(steps[0].at("tid"), 1000);
  EXPECT_EQ(steps[0].at("dur"), 30.0);
}

TEST(TraceWriter, a_copy_is_on_its_device_and_stream_with_its_rate) {
  const json copies = events_named(text_of(one_step()), "Memcpy HtoD (Pinned -> Device)");
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].at("cat"), "gpu_memcpy");
  EXPECT_EQ(copies[0].at("pid"), 0);
  EXPECT_EQ(copies[0].at("tid"), 7);
  const json& args = copies[0].at("args");
  EXPECT_EQ(args.at("device"), 0);
  EXPECT_EQ(args.at("stream"), 7);
  EXPECT_EQ(args.at("correlation"), 3);
  EXPECT_EQ(args.at("bytes"), 250'000);
  EXPECT_NEAR(args.at("memory bandwidth (GB/s)").get<double>(), 25.0, 1e-9);
}

TEST(TraceWriter, an_arrow_connects_the_call_and_the_copy) {
  const json flow = events_named(text_of(one_step()), "ac2g");
  ASSERT_EQ(flow.size(), 2U);
  EXPECT_EQ(flow[0].at("ph"), "s");
  EXPECT_EQ(flow[1].at("ph"), "f");
  EXPECT_EQ(flow[1].at("bp"), "e");
  EXPECT_EQ(flow[0].at("id"), flow[1].at("id"));
  EXPECT_EQ(flow[0].at("ts"), 1.001);
  EXPECT_EQ(flow[1].at("ts"), 2.0);
}

TEST(TraceWriter, a_counter_is_titled_by_its_name_and_its_series) {
  Timeline timeline = one_step();
  timeline.counters["power"].push_back({Nanos(5'000'000'000), 300.0});
  const std::string text = text_of(timeline);
  const json batches = events_named(text, "ready");
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_EQ(batches[0].at("ph"), "C");
  EXPECT_EQ(batches[0].at("args"), (json{{"batches", 2.0}}));
  EXPECT_EQ(events_named(text, "power").at(0).at("args"), (json{{"value", 300.0}}));
}

TEST(TraceWriter, rejects_numbers_that_confuse_gpus_and_processes) {
  const auto numbered = [](std::int32_t gpu, std::int64_t process) {
    Timeline timeline = one_step();
    for (Activity& activity : timeline.activities) {
      if (activity.device == kHost) {
        activity.process = process;
      } else {
        activity.device = gpu;
      }
    }
    return timeline;
  };
  EXPECT_NO_THROW(text_of(numbered(63, 64)));
  EXPECT_THROW(text_of(numbered(64, 64)), std::invalid_argument);
  EXPECT_THROW(text_of(numbered(-2, 64)), std::invalid_argument);
  EXPECT_THROW(text_of(numbered(63, 63)), std::invalid_argument);
}

TEST(TraceWriter, lanes_have_their_names) {
  const std::string text = text_of(one_step());
  const json lanes = events_named(text, "thread_name");
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0].at("args").at("name"), "copy stream");
  EXPECT_EQ(lanes[1].at("args").at("name"), "training loop");
  const json processes = events_named(text, "process_name");
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].at("args").at("name"), "GPU 0: simulated: a100-pcie4");
  EXPECT_EQ(processes[1].at("args").at("name"), "feedrate");
}

TEST(TraceWriter, writes_the_rank_as_hta_expects_it_and_the_metadata) {
  const std::string text = text_of(one_step());
  EXPECT_THAT(text, HasSubstr(R"("rank": 0)"));
  const json trace = json::parse(text);
  EXPECT_EQ(trace.at("simulated"), "yes: a100-pcie4");
  EXPECT_EQ(trace.at("deviceProperties")[0].at("computeMajor"), 8);
}

TEST(TraceWriter, an_empty_timeline_is_a_valid_trace) {
  EXPECT_TRUE(json::parse(text_of({})).at("traceEvents").empty());
}

}  // namespace
}  // namespace feedrate
