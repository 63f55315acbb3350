// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/columns.h"
#include "bench/engines/observers/each.h"
#include "core/clock.h"
#include "tests/support/scripted_instruments.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InstrumentLog;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ActivityTrace copies_from(const std::vector<ActivityMemory>& sources) {
  ActivityTrace trace;
  for (const ActivityMemory source : sources) {
    DeviceActivity copy;
    copy.kind = ActivityKind::kMemcpy;
    copy.direction = ActivityDirection::kHostToDevice;
    copy.source = source;
    trace.activities.push_back(copy);
  }
  return trace;
}

class GpuTraced : public ::testing::Test {
 protected:
  std::unique_ptr<StartObserver> observer(
      std::function<TracerStarted(const DeviceInfo&)> start_tracing) {
    return make_gpu_trace_observer({.cell = cell_, .device = device_.get()},
                                   std::move(start_tracing));
  }

  static StartReport watch(StartObserver& traced) {
    traced.begin_window();
    traced.end_window();
    traced.device_idle();
    StartReport report;
    traced.after_loader(report);
    return report;
  }

  StartReport report_of(const ActivityTrace& trace, HostMemory memory = HostMemory::kPinned) {
    cell_.loader.memory = memory;
    return watch(*observer(testing::scripted_tracing(log_, trace)));
  }

  CellSpec cell_;
  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  InstrumentLog log_;
};

TEST_F(GpuTraced, from_the_first_discarded_step_until_the_device_is_idle) {
  ActivityTrace trace;
  trace.dropped = 5;
  const auto traced = observer(testing::scripted_tracing(log_, trace));
  traced->before_loader();
  EXPECT_THAT(log_, IsEmpty());
  clock_.sleep_for(Nanos(70));
  traced->begin_window();
  EXPECT_THAT(log_, ElementsAre("record"));
  traced->end_window();
  EXPECT_THAT(log_, ElementsAre("record"));
  traced->device_idle();
  EXPECT_THAT(log_, ElementsAre("record", "recorded"));
  StartReport report;
  traced->after_loader(report);
  ASSERT_TRUE(report.recorded);
  EXPECT_EQ(report.recorded->trace.dropped, 5U);
  EXPECT_EQ(report.recorded->from, Nanos(70));
}

TEST_F(GpuTraced, without_a_tracer_nothing_is_recorded_and_one_that_does_not_start_says_why) {
  for (const char* const problem : {"", "another profiler"}) {
    const StartReport report = watch(*observer([&](const DeviceInfo&) {
      return TracerStarted{nullptr, "", problem};
    }));
    EXPECT_FALSE(report.recorded);
    EXPECT_THAT(report.repeat.metrics, IsEmpty());
    EXPECT_THAT(report.warnings, SizeIs(*problem ? 1 : 0));
    for (const std::string& warning : report.warnings) {
      EXPECT_EQ(warning, "Cells were not traced by CUPTI: another profiler");
    }
  }
  { const auto before_the_warm_up = observer(testing::scripted_tracing(log_)); }
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(GpuTraced, copies_have_a_share_that_was_pinned) {
  const StartReport report =
      report_of(copies_from({ActivityMemory::kPinned, ActivityMemory::kPageable}));
  ASSERT_THAT(report.repeat.metrics, SizeIs(1));
  EXPECT_NE(find_column("pinned_copies"), nullptr);
  const double* const share = find_metric(report.repeat.metrics, "pinned_copies");
  ASSERT_NE(share, nullptr);
  EXPECT_EQ(*share, 0.5);
  EXPECT_THAT(report_of(copies_from({})).repeat.metrics, IsEmpty());
}

TEST_F(GpuTraced, warns_of_copies_from_other_memory_and_of_an_incomplete_trace) {
  ActivityTrace pinned = copies_from({ActivityMemory::kPinned});
  const ActivityTrace mixed = copies_from({ActivityMemory::kPinned, ActivityMemory::kPageable});
  EXPECT_THAT(report_of(pinned).warnings, IsEmpty());
  EXPECT_THAT(report_of(copies_from({ActivityMemory::kPageable}), HostMemory::kPageable).warnings,
              IsEmpty());
  EXPECT_THAT(report_of(mixed).warnings, ElementsAre(HasSubstr("pin_memory: true")));
  EXPECT_THAT(report_of(mixed, HostMemory::kPageable).warnings,
              ElementsAre(HasSubstr("pin_memory: false")));
  pinned.dropped = 3;
  EXPECT_THAT(report_of(pinned).warnings, ElementsAre(HasSubstr("lacks 3 records")));
}

}  // namespace
}  // namespace feedrate
