#include "bench/engines/cell_watch.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "tests/support/scripted_instruments.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using testing::InstrumentLog;
using ::testing::IsEmpty;
using testing::ScriptedMonitor;

GpuTelemetry seven_readings() {
  GpuTelemetry telemetry;
  telemetry.readings = 7;
  return telemetry;
}

class Watching : public ::testing::Test {
 protected:
  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  InstrumentLog log_;
  ScriptedMonitor monitor_{log_, seven_readings()};
};

TEST_F(Watching, the_monitor_ends_with_the_window_and_the_tracer_with_the_devices_work) {
  ActivityTrace trace;
  trace.dropped = 5;
  const Instruments instruments{testing::scripted_tracing(log_, trace), {}};
  CellWatch watch(instruments, &monitor_, *device_);
  const ProtocolEvents events = watch.events();
  EXPECT_THAT(log_, IsEmpty());
  clock_.sleep_for(Nanos(70));
  events.on_warm_up();
  EXPECT_THAT(log_, ElementsAre("record", "watch"));
  events.on_window_over();
  EXPECT_THAT(log_, ElementsAre("record", "watch", "watched"));
  const Observations seen = watch.finish();
  EXPECT_THAT(log_, ElementsAre("record", "watch", "watched", "recorded"));
  EXPECT_EQ(seen.telemetry->readings, 7U);
  EXPECT_EQ(seen.recorded->trace.dropped, 5U);
  EXPECT_EQ(seen.recorded->from, Nanos(70));
}

TEST_F(Watching, without_instruments_nothing_is_seen) {
  const Instruments none;
  CellWatch watch(none, nullptr, *device_);
  watch.events().on_warm_up();
  watch.events().on_window_over();
  const Observations seen = watch.finish();
  EXPECT_FALSE(seen.telemetry);
  EXPECT_FALSE(seen.recorded);
  EXPECT_EQ(seen.problem, "");
}

TEST_F(Watching, a_tracer_that_does_not_start_says_why) {
  const Instruments refusing{[](const DeviceInfo&) {
                               return TracerStarted{nullptr, "", "busy"};
                             },
                             {}};
  CellWatch watch(refusing, nullptr, *device_);
  watch.events().on_warm_up();
  const Observations seen = watch.finish();
  EXPECT_FALSE(seen.recorded);
  EXPECT_EQ(seen.problem, "busy");
}

TEST_F(Watching, a_cell_that_fails_leaves_the_monitor_ready_for_the_next) {
  const Instruments none;
  try {
    CellWatch watch(none, &monitor_, *device_);
    watch.events().on_warm_up();
    throw std::runtime_error("a worker died");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(log_, ElementsAre("watch", "watched"));
}

TEST_F(Watching, a_cell_that_fails_before_the_warm_up_touches_nothing) {
  const Instruments none;
  { const CellWatch watch(none, &monitor_, *device_); }
  EXPECT_THAT(log_, IsEmpty());
}

}  // namespace
}  // namespace feedrate
