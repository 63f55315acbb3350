// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/run_timeline.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace feedrate {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

StepMarks step_at(Nanos begin) {
  StepMarks step;
  step.asked = begin;
  step.loaded = begin + milliseconds(4);
  step.queued = begin + milliseconds(5);
  step.copied = begin + milliseconds(7);
  step.launching = begin + milliseconds(8);
  step.launched = begin + milliseconds(9);
  step.trained = begin + milliseconds(20);
  step.bytes = 1000;
  step.history = {.worker = 1,
                  .fetch_begin = begin - milliseconds(9),
                  .fetch_end = begin - milliseconds(2),
                  .pin_begin = begin - milliseconds(2),
                  .pin_end = begin - milliseconds(1),
                  .ready = begin - milliseconds(1)};
  return step;
}

DeviceSpans spans_at(Nanos begin) {
  return {begin + milliseconds(5), begin + milliseconds(7), begin + milliseconds(9),
          begin + milliseconds(20)};
}

// One discarded step and two kept ones, 20 ms each, without gaps from 100 ms on.
Measurement steps_of_a_timeline() {
  Measurement measurement;
  measurement.epochs = {{milliseconds(30), std::nullopt, milliseconds(90)}};
  measurement.discarded = {step_at(milliseconds(100))};
  measurement.kept = {step_at(milliseconds(120)), step_at(milliseconds(140))};
  for (const int begin : {40, 100, 120, 140}) {
    measurement.spans.push_back(spans_at(milliseconds(begin)));
  }
  return measurement;
}

std::vector<TimeInterval> spans_named(const Timeline& timeline, std::string_view name) {
  std::vector<TimeInterval> spans;
  for (const Activity& activity : timeline.activities) {
    if (timeline.names.text(activity.name) == name) spans.push_back(activity.span);
  }
  return spans;
}

TimeInterval from_until(int begin, int end) { return {milliseconds(begin), milliseconds(end)}; }

TEST(RunTimeline, shows_the_long_epoch_from_its_start_and_marks_the_kept_steps) {
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), {.loader_name = "next"});
  EXPECT_THAT(spans_named(timeline, "start_epoch"), ElementsAre(from_until(90, 100)));
  EXPECT_THAT(spans_named(timeline, "next"),
              ElementsAre(from_until(100, 104), from_until(120, 124), from_until(140, 144)));
  ASSERT_EQ(timeline.steps.size(), 2U);
  EXPECT_EQ(timeline.steps[0].span, from_until(120, 140));
}

TEST(RunTimeline, spans_of_the_device_belong_to_the_last_steps) {
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), {});
  EXPECT_THAT(spans_named(timeline, "training step"),
              ElementsAre(from_until(109, 120), from_until(129, 140), from_until(149, 160)));
}

TEST(RunTimeline, a_call_and_what_it_launched_share_a_correlation) {
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), {});
  std::map<std::uint64_t, std::vector<Role>> roles;
  for (const Activity& activity : timeline.activities) {
    if (activity.correlation != 0) roles[activity.correlation].push_back(activity.role);
  }
  ASSERT_EQ(roles.size(), 6U);
  // The timeline does not show one earlier step.
  EXPECT_THAT(roles[3], ElementsAre(Role::kRuntime, Role::kMemcpy));
  EXPECT_THAT(roles[4], ElementsAre(Role::kRuntime, Role::kKernel));
}

TEST(RunTimeline, with_device_prefetch_a_step_launches_the_kernels_of_an_earlier_batch) {
  const Timeline timeline =
      make_run_timeline(steps_of_a_timeline(), {.transfer = {.device_prefetch = 1}});
  std::map<std::uint64_t, Nanos> launched;
  for (const Activity& activity : timeline.activities) {
    if (timeline.names.text(activity.name) == "cudaLaunchKernel") {
      launched[activity.correlation] = activity.span.begin;
    }
  }
  std::vector<Nanos> of_kernels;
  for (const Activity& activity : timeline.activities) {
    if (activity.role == Role::kKernel && launched.contains(activity.correlation)) {
      of_kernels.push_back(launched[activity.correlation]);
    }
  }
  // These are the kernels of the steps at 100 and 120 ms; no step launches the last one.
  EXPECT_THAT(of_kernels, ElementsAre(milliseconds(128), milliseconds(148)));
}

TEST(RunTimeline, a_blocking_copy_waits_for_its_stream_and_a_non_blocking_one_does_not) {
  const Timeline blocking = make_run_timeline(steps_of_a_timeline(), {});
  EXPECT_THAT(spans_named(blocking, "cudaStreamSynchronize"),
              ::testing::Contains(from_until(125, 127)));
  const Timeline non_blocking =
      make_run_timeline(steps_of_a_timeline(), {.transfer = {.non_blocking = true}});
  EXPECT_THAT(spans_named(non_blocking, "cudaStreamSynchronize"),
              ElementsAre(from_until(109, 120), from_until(129, 140), from_until(149, 160)));
}

TEST(RunTimeline, a_host_that_ran_ahead_waits_for_an_event) {
  Measurement measurement = steps_of_a_timeline();
  measurement.kept[1].ran_ahead = true;
  const Timeline timeline = make_run_timeline(measurement, {.transfer = {.non_blocking = true}});
  EXPECT_THAT(spans_named(timeline, "cudaEventSynchronize"), ElementsAre(from_until(145, 147)));
}

TEST(RunTimeline, copies_have_their_memory_kind_and_are_on_the_chosen_stream) {
  const Timeline timeline = make_run_timeline(
      steps_of_a_timeline(),
      {.memory = HostMemory::kPinned, .transfer = {.copy_stream = CopyStream::kSide}});
  const auto copy = std::find_if(timeline.activities.begin(), timeline.activities.end(),
                                 [](const Activity& a) { return a.role == Role::kMemcpy; });
  ASSERT_NE(copy, timeline.activities.end());
  EXPECT_EQ(copy->source, MemoryKind::kPinned);
  EXPECT_EQ(copy->bytes, 1000U);
  EXPECT_EQ(timeline.lane_names.at({0, copy->lane}), "copy stream");
}

TEST(RunTimeline, workers_and_the_pin_thread_have_lanes) {
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), {});
  std::vector<std::string> lanes;
  for (const auto& [lane, name] : timeline.lane_names) {
    if (lane.first != 0) lanes.push_back(name);
  }
  EXPECT_THAT(lanes, ElementsAre("training loop", "pin thread", "worker 1"));
  EXPECT_EQ(spans_named(timeline, "fetch").size(), 3U);
  EXPECT_THAT(spans_named(timeline, "pin_memory"),
              ElementsAre(from_until(98, 99), from_until(118, 119), from_until(138, 139)));
}

TEST(RunTimeline, counts_the_batches_that_wait_for_the_consumer) {
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), {});
  std::vector<double> values;
  for (const CounterSample& sample : timeline.counters.at("ready batches")) {
    values.push_back(sample.value);
  }
  EXPECT_THAT(values, ElementsAre(1, 0, 1, 0, 1, 0));
}

TEST(RunTimeline, has_the_properties_of_the_device) {
  RunTimelineOptions options;
  options.device.multiprocessors = 132;
  options.device.compute_major = 9;
  options.device.compute_minor = 1;
  const Timeline timeline = make_run_timeline(steps_of_a_timeline(), options);
  const GpuProperties& gpu = timeline.gpus.at(0);
  EXPECT_EQ(gpu.multiprocessors, 132);
  EXPECT_EQ(gpu.compute_major, 9);
  EXPECT_EQ(gpu.compute_minor, 1);
}

TEST(RunTimeline, without_a_device_there_is_the_loader_alone) {
  Measurement measurement = steps_of_a_timeline();
  measurement.spans.clear();
  const Timeline timeline = make_run_timeline(measurement, {.loader_name = "next"});
  EXPECT_TRUE(timeline.gpus.empty());
  EXPECT_TRUE(spans_named(timeline, "cudaMemcpyAsync").empty());
  EXPECT_EQ(spans_named(timeline, "next").size(), 3U);
}

}  // namespace
}  // namespace feedrate
