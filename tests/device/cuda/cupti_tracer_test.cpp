// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_tracer.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/shared_library.h"
#include "tests/support/cupti_samples.h"
#include "tests/support/fake_cupti.h"
#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FakeCupti;
using testing::FakeRecords;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ScopedVariable;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// Sets FEEDRATE_CUPTI_PATH to the fake in `path` and resets the fake's state.
class CuptiTracer : public ::testing::Test {
 protected:
  FakeCupti& use(const char* path) {
    variable_.emplace("FEEDRATE_CUPTI_PATH", path);
    std::string problem;
    const SharedLibrary library(path, true, problem);
    if (!library) throw std::runtime_error(problem);
    FakeCupti& fake = *reinterpret_cast<decltype(&fake_cupti)>(library.symbol("fake_cupti"))();
    fake = {};
    return fake;
  }

 private:
  std::optional<ScopedVariable> variable_;

 protected:
  FakeCupti& fake_ = use(FAKE_CUPTI);
};

std::vector<std::uint8_t> one_copy(std::uint64_t start = 100, std::uint64_t end = 200) {
  return FakeRecords().add(testing::sample_copy(start, end)).bytes();
}

TEST_F(CuptiTracer, returns_the_recorded_activities_sorted_by_begin) {
  const TracerStarted started = start_activity_tracing();
  ASSERT_TRUE(started.tracer) << started.problem;
  EXPECT_EQ(started.library, FAKE_CUPTI);
  EXPECT_THAT(started.problem, IsEmpty());
  fake_.deliver(FakeRecords()
                    .add(testing::sample_kernel(300, 400, "step"))
                    .add(testing::sample_call(90, 95, 41))
                    .bytes());
  fake_.at_flush = {one_copy()};
  const ActivityTrace trace = started.tracer->stop();
  ASSERT_THAT(trace.activities, SizeIs(3));
  EXPECT_EQ(trace.activities[0].name, "cudaMemcpyAsync");
  EXPECT_EQ(trace.activities[1].name, "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(trace.activities[1].begin, Nanos(100));
  EXPECT_EQ(trace.activities[2].name, "step");
  EXPECT_EQ(pinned_evidence(trace.activities).pinned, 1U);
  EXPECT_THAT(warnings(trace), IsEmpty());
}

TEST_F(CuptiTracer, sets_the_hosts_clock_before_it_enables_anything) {
  const TracerStarted started = start_activity_tracing();
  ASSERT_TRUE(started.tracer) << started.problem;
  const auto at = [this](const char* call) {
    return std::find(fake_.calls.begin(), fake_.calls.end(), call) - fake_.calls.begin();
  };
  EXPECT_THAT(fake_.calls, Contains("system thread ids"));
  EXPECT_LT(at("set clock"), at("enable"));
  EXPECT_LT(at("register callbacks"), at("enable"));
  const Nanos before = SteadyClock().now();
  const Nanos asked(fake_.timestamp());
  EXPECT_GE(asked, before);
  EXPECT_LE(asked, SteadyClock().now());
}

TEST_F(CuptiTracer, enables_concurrent_kernels_and_the_selected_calls) {
  const TracerStarted started = start_activity_tracing();
  EXPECT_THAT(fake_.enabled,
              UnorderedElementsAre(cupti::kMemcpy, cupti::kMemset, cupti::kConcurrentKernel,
                                   cupti::kSynchronization, cupti::kOverhead));
  // cudaMemcpyAsync, cudaLaunchKernel, cudaStreamSynchronize, cudaEventSynchronize
  for (const std::uint32_t call : {41U, 211U, 131U, 137U}) {
    EXPECT_THAT(fake_.enabled_calls, Contains(call));
  }
}

TEST_F(CuptiTracer, disables_everything_before_the_forced_flush) {
  const TracerStarted started = start_activity_tracing();
  ASSERT_TRUE(started.tracer) << started.problem;
  static_cast<void>(started.tracer->stop());
  EXPECT_THAT(fake_.enabled, IsEmpty());
  EXPECT_THAT(fake_.enabled_calls, IsEmpty());
  ASSERT_THAT(fake_.calls, Not(IsEmpty()));
  EXPECT_EQ(fake_.calls.back(), "forced flush");
}

TEST_F(CuptiTracer, a_recording_that_is_not_stopped_ends_with_its_owner) {
  static_cast<void>(start_activity_tracing());
  EXPECT_THAT(fake_.enabled, IsEmpty());
  EXPECT_TRUE(start_activity_tracing().tracer);
}

TEST_F(CuptiTracer, only_one_recording_can_run_at_a_time) {
  const TracerStarted first = start_activity_tracing();
  const TracerStarted second = start_activity_tracing();
  EXPECT_FALSE(second.tracer);
  EXPECT_THAT(second.problem, HasSubstr("is already recording"));
  fake_.at_flush = {one_copy()};
  EXPECT_THAT(first.tracer->stop().activities, SizeIs(1));
  EXPECT_TRUE(start_activity_tracing().tracer);
}

TEST_F(CuptiTracer, an_unknown_runtime_call_is_skipped) {
  fake_.call_results[505] = 1;
  const TracerStarted started = start_activity_tracing();
  EXPECT_TRUE(started.tracer);
  EXPECT_THAT(fake_.enabled_calls, AllOf(Contains(211), Not(Contains(505))));
  EXPECT_THAT(fake_.enabled, Not(Contains(cupti::kRuntime)));
}

TEST_F(CuptiTracer, optional_kinds_may_be_refused) {
  for (const std::uint32_t kind : {cupti::kMemset, cupti::kSynchronization, cupti::kOverhead}) {
    fake_.enable_results[kind] = 21;
  }
  const TracerStarted started = start_activity_tracing();
  EXPECT_TRUE(started.tracer) << started.problem;
  EXPECT_THAT(fake_.enabled, UnorderedElementsAre(cupti::kMemcpy, cupti::kConcurrentKernel));
}

TEST_F(CuptiTracer, a_library_that_cannot_trace_is_reported_and_leaves_nothing_enabled) {
  fake_.enable_results[cupti::kConcurrentKernel] = 999;
  const TracerStarted started = start_activity_tracing();
  EXPECT_FALSE(started.tracer);
  EXPECT_EQ(started.problem,
            std::string(FAKE_CUPTI) +
                ": loaded, but cannot trace: cuptiActivityEnable(CONCURRENT_KERNEL): "
                "CUPTI_ERROR_UNKNOWN (999); it needs a working NVIDIA driver that is not older "
                "than CUPTI, and no other profiler in the process");
  EXPECT_THAT(fake_.enabled, IsEmpty());
  EXPECT_EQ(describe_activity_tracing(), started.problem);
  fake_.enable_results.clear();
  EXPECT_EQ(describe_activity_tracing(), std::string(FAKE_CUPTI) + ": records");
}

TEST_F(CuptiTracer, another_profiler_in_the_process_is_reported) {
  fake_.enable_results[cupti::kMemcpy] = cupti::kMultipleSubscribers;
  EXPECT_THAT(start_activity_tracing().problem, HasSubstr("another profiler is attached"));
}

TEST_F(CuptiTracer, refused_callbacks_are_reported) {
  fake_.register_result = 1;
  EXPECT_THAT(start_activity_tracing().problem,
              HasSubstr("cuptiActivityRegisterCallbacks: CUPTI_ERROR_OTHER (1)"));
}

TEST_F(CuptiTracer, a_clock_that_can_neither_be_set_nor_read_is_reported) {
  fake_.clock_result = 999;
  fake_.timestamp_result = 999;
  EXPECT_THAT(start_activity_tracing().problem, HasSubstr("clock can be neither set nor read"));
}

TEST_F(CuptiTracer, a_library_that_lacks_functions_is_refused) {
  use(FAKE_CUPTI_BROKEN);
  const TracerStarted started = start_activity_tracing();
  EXPECT_FALSE(started.tracer);
  EXPECT_THAT(started.problem,
              HasSubstr("lacks cuptiActivityRegisterCallbacks, cuptiActivityGetNextRecord; it is "
                        "too old, or a different library"));
}

TEST_F(CuptiTracer, a_missing_library_is_reported) {
  const ScopedVariable variable("FEEDRATE_CUPTI_PATH", "/no/libcupti.so");
  EXPECT_THAT(start_activity_tracing().problem,
              StartsWith("FEEDRATE_CUPTI_PATH=/no/libcupti.so: cannot be loaded"));
}

// The records have times of CUPTI's own clock, five hours ahead of the host's.
TEST_F(CuptiTracer, times_of_an_old_library_are_converted_to_the_hosts_clock) {
  FakeCupti& old = use(FAKE_CUPTI_OLD);
  old.ahead = 5ULL * 3600 * 1'000'000'000;
  const SteadyClock clock;
  const Nanos before = clock.now();
  const TracerStarted started = start_activity_tracing();
  ASSERT_TRUE(started.tracer) << started.problem;
  EXPECT_THAT(old.enabled, Contains(cupti::kRuntime));
  const auto now = static_cast<std::uint64_t>(clock.now().count()) + old.ahead;
  old.at_flush = {FakeRecords()
                      .add(testing::sample_copy(now, now + 10))
                      .add(testing::sample_call(now + 5, now + 7, 41))
                      .bytes()};
  const ActivityTrace trace = started.tracer->stop();
  const Nanos after = clock.now();
  ASSERT_THAT(trace.activities, SizeIs(2));
  EXPECT_GE(trace.activities[0].begin, before);
  EXPECT_LE(trace.activities[0].begin, after);
}

TEST_F(CuptiTracer, counts_dropped_records_of_this_recording_only) {
  fake_.dropped = 5;
  const TracerStarted started = start_activity_tracing();
  fake_.dropped += 2;
  EXPECT_EQ(started.tracer->stop().dropped, 2U);
}

TEST_F(CuptiTracer, records_beyond_the_buffer_limit_are_dropped_and_counted) {
  const TracerStarted started = start_activity_tracing();
  for (int i = 0; i < 40; ++i) fake_.deliver(one_copy());
  const ActivityTrace trace = started.tracer->stop();
  EXPECT_THAT(trace.activities, SizeIs(32));
  EXPECT_EQ(trace.dropped, 8U);
  EXPECT_THAT(warnings(trace), ElementsAre(HasSubstr("lacks 8 records")));
}

TEST_F(CuptiTracer, a_failed_flush_is_a_warning) {
  const TracerStarted started = start_activity_tracing();
  fake_.deliver(one_copy());
  fake_.flush_result = 999;
  const ActivityTrace trace = started.tracer->stop();
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_THAT(warnings(trace),
              ElementsAre(HasSubstr("cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN")));
}

TEST_F(CuptiTracer, a_truncated_buffer_costs_its_last_record_only) {
  const TracerStarted started = start_activity_tracing();
  FakeRecords records;
  records.add(testing::sample_copy(100, 200)).add(testing::sample_kernel(300, 400, "cut"));
  fake_.at_flush = {records.truncate_to(records.bytes().size() - 60).bytes(), one_copy(500, 600)};
  const ActivityTrace trace = started.tracer->stop();
  EXPECT_THAT(trace.activities, SizeIs(2));
  EXPECT_EQ(trace.unreadable, 1U);
}

TEST_F(CuptiTracer, a_late_buffer_is_not_in_the_next_trace) {
  const TracerStarted first = start_activity_tracing();
  static_cast<void>(first.tracer->stop());
  fake_.deliver(one_copy());
  const TracerStarted second = start_activity_tracing();
  EXPECT_THAT(second.tracer->stop().activities, IsEmpty());
}

TEST(CuptiLibrary, runtime_calls_have_their_source_names) {
  const ScopedVariable variable("FEEDRATE_CUPTI_PATH", FAKE_CUPTI);
  const cupti::Library library = cupti::open_library();
  EXPECT_EQ(cupti::runtime_call_name(library.api, 41), "cudaMemcpyAsync");
  EXPECT_EQ(cupti::runtime_call_name(library.api, 505), "cudaLaunchKernel");
  EXPECT_EQ(cupti::runtime_call_name(library.api, 7), "CUDA runtime call 7");
  EXPECT_EQ(cupti::runtime_call_name({}, 7), "CUDA runtime call 7");
}

}  // namespace
}  // namespace feedrate
