// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/columns.h"
#include "bench/engines/observers/each.h"
#include "tests/support/scripted_instruments.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InstrumentLog;
using ::testing::IsEmpty;
using ::testing::Pointee;
using testing::ScriptedMonitor;
using ::testing::SizeIs;

GpuTelemetry telemetry_of(double utilisation) {
  GpuTelemetry telemetry;
  telemetry.readings = 30;
  telemetry.utilisation_mean = utilisation;
  telemetry.utilisation_max = 1.0;
  telemetry.sm_clock_mean = 1.9e9;
  telemetry.sm_clock_min = 1.8e9;
  telemetry.memory_clock_mean = 3.2e9;
  telemetry.power_mean = 500;
  telemetry.power_max = 700;
  telemetry.memory_used_max = 1U << 20U;
  telemetry.link_generation_max = 5;
  telemetry.link_width_max = 16;
  telemetry.throttled_share = 0.0;
  return telemetry;
}

class GpuMonitored : public ::testing::Test {
 protected:
  StartReport report_of(const GpuTelemetry& telemetry, double gpu_busy = 0.5) {
    ScriptedMonitor monitor(log_, telemetry);
    const auto watched = make_gpu_monitor_observer(monitor);
    watched->begin_window();
    watched->end_window();
    StartReport report;
    report.add("gpu_busy", gpu_busy);
    watched->after_loader(report);
    return report;
  }

  InstrumentLog log_;
};

TEST_F(GpuMonitored, from_the_first_discarded_step_to_the_windows_end) {
  ScriptedMonitor monitor(log_, telemetry_of(0.5));
  const auto watched = make_gpu_monitor_observer(monitor);
  watched->before_loader();
  EXPECT_THAT(log_, IsEmpty());
  watched->begin_window();
  EXPECT_THAT(log_, ElementsAre("watch"));
  watched->end_window();
  EXPECT_THAT(log_, ElementsAre("watch", "watched"));
  watched->device_idle();
  StartReport report;
  watched->after_loader(report);
  EXPECT_THAT(log_, ElementsAre("watch", "watched"));
  ASSERT_TRUE(report.telemetry);
  EXPECT_EQ(report.telemetry->readings, 30U);
}

TEST_F(GpuMonitored, a_cell_that_fails_leaves_the_monitor_ready_for_the_next) {
  ScriptedMonitor monitor(log_, {});
  { const auto before_the_warm_up = make_gpu_monitor_observer(monitor); }
  EXPECT_THAT(log_, IsEmpty());
  {
    const auto watched = make_gpu_monitor_observer(monitor);
    watched->begin_window();
  }
  EXPECT_THAT(log_, ElementsAre("watch", "watched"));
}

TEST_F(GpuMonitored, each_figure_has_a_column) {
  const StartReport report = report_of(telemetry_of(0.5));
  EXPECT_THAT(report.repeat.metrics, SizeIs(12)) << "gpu_busy among them";
  for (const Metric& metric : report.repeat.metrics) {
    EXPECT_NE(find_column(metric.tag), nullptr) << metric.tag;
  }
}

TEST_F(GpuMonitored, figures_are_those_of_nvml) {
  const StartReport report = report_of(telemetry_of(0.5));
  for (const auto& [tag, value] : std::vector<Metric>{{"nvml_utilisation", 0.5},
                                                      {"sm_clock_min", 1.8e9},
                                                      {"gpu_power", 500},
                                                      {"pcie_generation_max", 5}}) {
    EXPECT_THAT(find_metric(report.repeat.metrics, tag), Pointee(value)) << tag;
  }
  EXPECT_THAT(report_of({}).repeat.metrics, SizeIs(1)) << "gpu_busy: NVML reports nothing";
}

TEST_F(GpuMonitored, warns_where_nvml_contradicts_the_events) {
  EXPECT_THAT(report_of(telemetry_of(0.6)).warnings, IsEmpty());
  EXPECT_THAT(report_of(telemetry_of(0.95)).warnings, ElementsAre(HasSubstr("another program")));
  EXPECT_THAT(report_of(telemetry_of(0.1)).warnings, ElementsAre(HasSubstr("much less busy")));
  GpuTelemetry of_a_short_window = telemetry_of(0.1);
  of_a_short_window.readings = 19;
  EXPECT_THAT(report_of(of_a_short_window, 0.9).warnings, IsEmpty());
}

TEST_F(GpuMonitored, a_throttled_gpu_says_why) {
  GpuTelemetry seen = telemetry_of(0.5);
  seen.throttle_reasons = {"power limit", "temperature (software)"};
  EXPECT_THAT(report_of(seen).warnings,
              ElementsAre(HasSubstr("(power limit, temperature (software))")));
}

}  // namespace
}  // namespace feedrate
