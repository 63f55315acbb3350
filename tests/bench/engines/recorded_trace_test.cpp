// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/recorded_trace.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "analysis/profile/copy_findings.h"
#include "bench/engines/run_timeline.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kThread = 4711;

// The marks of three steps of 20 ms from 100 ms on, with pageable memory. The first step is
// launched before 115 ms.
Measurement three_steps() {
  Measurement measurement;
  for (const int at : {100, 120, 140}) {
    const auto after = [at](int more) { return Nanos(milliseconds(at + more)); };
    StepMarks step;
    step.asked = after(0);
    step.loaded = after(4);
    step.queued = after(5);
    step.copied = after(7);
    step.launching = after(8);
    step.launched = after(9);
    step.trained = after(19);
    step.bytes = 1000;
    (at == 100 ? measurement.discarded : measurement.kept).push_back(step);
    measurement.spans.push_back({after(5), after(7), after(9), after(18)});
  }
  measurement.epochs = {{milliseconds(10), std::nullopt, milliseconds(90)}};
  return measurement;
}

DeviceActivity recorded(ActivityKind kind, const char* name, int begin_ms, int end_ms,
                        std::uint32_t correlation) {
  DeviceActivity activity;
  activity.kind = kind;
  activity.name = name;
  activity.begin = milliseconds(begin_ms);
  activity.end = milliseconds(end_ms);
  activity.correlation = correlation;
  return activity;
}

DeviceActivity call(const char* name, int begin_ms, int end_ms, std::uint32_t correlation,
                    std::int64_t thread = kThread) {
  DeviceActivity activity = recorded(ActivityKind::kRuntime, name, begin_ms, end_ms, correlation);
  activity.thread = thread;
  return activity;
}

DeviceActivity copy(int begin_ms, int end_ms, std::uint32_t correlation, std::int64_t stream) {
  DeviceActivity activity = recorded(ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)",
                                     begin_ms, end_ms, correlation);
  activity.direction = ActivityDirection::kHostToDevice;
  activity.source = ActivityMemory::kPinned;
  activity.target = ActivityMemory::kDevice;
  activity.bytes = 1000;
  activity.device = 3;
  activity.stream = stream;
  return activity;
}

DeviceActivity kernel(int begin_ms, int end_ms, std::uint32_t correlation) {
  DeviceActivity activity =
      recorded(ActivityKind::kKernel, "burn(long)", begin_ms, end_ms, correlation);
  activity.device = 3;
  activity.stream = 7;
  activity.blocks = 264;
  return activity;
}

// CUPTI's records of the step at 120 ms.
RecordedTrace one_step(std::int64_t copy_stream = 7) {
  RecordedTrace trace;
  trace.from = milliseconds(115);
  trace.thread = kThread;
  trace.trace.activities = {call("cudaMemcpyAsync", 124, 125, 1), copy(125, 126, 1, copy_stream),
                            call("cudaStreamSynchronize", 125, 126, 2),
                            call("cudaLaunchKernel", 128, 129, 3), kernel(130, 137, 3)};
  return trace;
}

Timeline merged_with(const RecordedTrace& trace, bool side_stream = false) {
  RunTimelineOptions options{.recorded = &trace};
  if (side_stream) options.transfer.copy_stream = CopyStream::kSide;
  options.device.multiprocessors = 132;
  return make_run_timeline(three_steps(), options);
}

std::vector<Activity> with_role(const Timeline& timeline, Role role) {
  std::vector<Activity> found;
  for (const Activity& activity : timeline.activities) {
    if (activity.role == role) found.push_back(activity);
  }
  return found;
}

std::vector<Activity> named(const Timeline& timeline, std::string_view name) {
  std::vector<Activity> found;
  for (const Activity& activity : timeline.activities) {
    if (timeline.names.text(activity.name) == name) found.push_back(activity);
  }
  return found;
}

std::vector<TimeInterval> spans(const std::vector<Activity>& activities) {
  std::vector<TimeInterval> found;
  for (const Activity& activity : activities) found.push_back(activity.span);
  return found;
}

TimeInterval from_to(int begin, int end) { return {milliseconds(begin), milliseconds(end)}; }

TEST(RecordedTrace, replaces_what_was_launched_while_it_recorded) {
  const Timeline timeline = merged_with(one_step());
  // The events have the kernels at 109 to 118, 129 to 138 and 149 to 158 ms.
  EXPECT_THAT(spans(with_role(timeline, Role::kKernel)),
              ElementsAre(from_to(109, 118), from_to(130, 137)));
  EXPECT_THAT(spans(with_role(timeline, Role::kMemcpy)),
              ElementsAre(from_to(105, 107), from_to(125, 126)));
  EXPECT_THAT(spans(named(timeline, "cudaLaunchKernel")),
              ElementsAre(from_to(108, 109), from_to(128, 129)));
}

TEST(RecordedTrace, what_was_launched_before_stays_though_it_ran_later) {
  RecordedTrace trace = one_step();
  trace.from = milliseconds(128) + Nanos(500'000);  // Launched at 128 ms, begun at 129 ms.
  trace.trace.activities.clear();
  EXPECT_THAT(spans(with_role(merged_with(trace), Role::kKernel)),
              ElementsAre(from_to(109, 118), from_to(129, 138)));
}

TEST(RecordedTrace, work_without_a_known_launch_is_replaced_by_its_begin) {
  const RecordedTrace trace = one_step();
  // The launch of the last step's kernel is not in the timeline: it runs at 149 ms.
  const Timeline timeline =
      make_run_timeline(three_steps(), {.transfer = {.device_prefetch = 1}, .recorded = &trace});
  EXPECT_THAT(spans(with_role(timeline, Role::kKernel)), ElementsAre(from_to(130, 137)));
}

TEST(RecordedTrace, the_loader_and_the_steps_stay) {
  const RecordedTrace trace = one_step();
  const Timeline plain = make_run_timeline(three_steps(), {.loader_name = "next"});
  const Timeline merged =
      make_run_timeline(three_steps(), {.loader_name = "next", .recorded = &trace});
  EXPECT_EQ(spans(named(merged, "next")), spans(named(plain, "next")));
  EXPECT_EQ(merged.steps.size(), plain.steps.size());
}

TEST(RecordedTrace, is_on_the_only_gpu_and_on_the_lane_of_the_loop) {
  const Timeline timeline = merged_with(one_step());
  for (const Activity& activity : with_role(timeline, Role::kKernel)) {
    EXPECT_EQ(activity.device, 0);
    EXPECT_EQ(activity.lane, 7);
  }
  for (const Activity& activity : with_role(timeline, Role::kRuntime)) {
    EXPECT_EQ(activity.device, kHost);
    EXPECT_EQ(std::pair(activity.process, activity.lane), timeline.main_lane);
  }
  EXPECT_FLOAT_EQ(with_role(timeline, Role::kKernel).back().blocks_per_sm, 2.0F);
}

TEST(RecordedTrace, a_stream_of_copies_alone_is_the_side_stream) {
  const Timeline timeline = merged_with(one_step(13), true);
  for (const Activity& activity : with_role(timeline, Role::kMemcpy)) {
    EXPECT_EQ(timeline.lane_names.at({0, activity.lane}), "copy stream");
  }
  const Timeline other = merged_with(one_step(13), false);
  EXPECT_EQ(other.lane_names.at({0, with_role(other, Role::kMemcpy).back().lane}), "stream 13");
}

TEST(RecordedTrace, other_threads_have_lanes_of_their_own) {
  RecordedTrace trace = one_step();
  trace.trace.activities.push_back(call("cudaMemcpyAsync", 141, 142, 9, 99));
  const Timeline timeline = merged_with(trace);
  const Activity other = with_role(timeline, Role::kRuntime).back();
  EXPECT_EQ(timeline.lane_names.at({other.process, other.lane}), "thread 99");
}

TEST(RecordedTrace, correlations_tie_calls_to_their_work_and_collide_with_no_mark) {
  const Timeline timeline = merged_with(one_step());
  std::map<std::uint64_t, std::vector<Role>> roles;
  for (const Activity& activity : timeline.activities) {
    if (activity.correlation != 0) roles[activity.correlation].push_back(activity.role);
  }
  std::vector<std::vector<Role>> barrier;
  for (const auto& [id, synchronized] : roles) barrier.push_back(synchronized);
  EXPECT_THAT(barrier,
              ElementsAre(ElementsAre(Role::kRuntime, Role::kMemcpy),
                          ElementsAre(Role::kRuntime, Role::kKernel),
                          ElementsAre(Role::kRuntime, Role::kMemcpy), ElementsAre(Role::kRuntime),
                          ElementsAre(Role::kRuntime, Role::kKernel)));
}

TEST(RecordedTrace, the_memory_is_that_of_the_records_and_not_that_of_the_settings) {
  const Timeline timeline = merged_with(one_step());
  const std::vector<CopyFinding> findings = copy_findings(timeline, timeline.steps);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].source, MemoryKind::kPinned);
  EXPECT_EQ(findings[0].blocking, 1U);
  EXPECT_EQ(findings[0].waited, milliseconds(1));
}

TEST(RecordedTrace, waits_and_the_cost_of_tracing_are_shown_apart_and_not_counted) {
  RecordedTrace trace = one_step();
  trace.trace.activities.push_back(
      recorded(ActivityKind::kSynchronization, "Stream Synchronize", 125, 126, 2));
  trace.trace.activities.push_back(recorded(ActivityKind::kOverhead, "Buffer Flush", 131, 132, 0));
  const Timeline timeline = merged_with(trace);
  for (const auto& [name, lane] : {std::pair{"Stream Synchronize", "waits (CUPTI)"},
                                   std::pair{"Buffer Flush", "tracing overhead (CUPTI)"}}) {
    const std::vector<Activity> found = named(timeline, name);
    ASSERT_EQ(found.size(), 1U) << name;
    EXPECT_EQ(found[0].role, Role::kUncounted);
    EXPECT_EQ(found[0].correlation, 0U);
    EXPECT_EQ(timeline.lane_names.at({found[0].process, found[0].lane}), lane);
  }
}

TEST(RecordedTrace, an_end_before_the_begin_has_no_length) {
  RecordedTrace trace = one_step();
  trace.trace.activities = {kernel(130, 120, 3)};
  EXPECT_EQ(with_role(merged_with(trace), Role::kKernel).back().span, from_to(130, 130));
}

TEST(RecordedTrace, an_empty_recording_leaves_what_was_before) {
  RecordedTrace trace;
  trace.from = milliseconds(1);
  EXPECT_THAT(with_role(merged_with(trace), Role::kKernel), IsEmpty());
  trace.from = milliseconds(1000);
  EXPECT_EQ(with_role(merged_with(trace), Role::kKernel).size(), 3U);
}

}  // namespace
}  // namespace feedrate
