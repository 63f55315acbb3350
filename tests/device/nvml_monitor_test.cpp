// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_monitor.h"

#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/shared_library.h"
#include "tests/support/fake_nvml.h"
#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using testing::FakeNvml;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using testing::ScopedVariable;
using ::testing::StartsWith;

constexpr const char* kBusId = "0000:17:00.0";
constexpr Nanos kNever = std::chrono::hours(1);

/// Sets FEEDRATE_NVML_PATH to the fake in `path` and resets the fake's state.
class NvmlMonitor : public ::testing::Test {
 protected:
  FakeNvml& use(const char* path) {
    variable_.emplace("FEEDRATE_NVML_PATH", path);
    std::string problem;
    library_ = SharedLibrary(path, true, problem);
    if (!library_) throw std::runtime_error(problem);
    reinterpret_cast<decltype(&fake_nvml_reset)>(library_.symbol("fake_nvml_reset"))();
    return *reinterpret_cast<decltype(&fake_nvml)>(library_.symbol("fake_nvml"))();
  }

 private:
  std::optional<ScopedVariable> variable_;
  SharedLibrary library_;

 protected:
  FakeNvml& fake_ = use(FAKE_NVML);
};

std::unique_ptr<GpuMonitor> open_monitor() {
  MonitorOpened opened = open_gpu_monitor(kBusId);
  if (!opened.monitor) throw std::runtime_error(opened.problem);
  return std::move(opened.monitor);
}

void wait_for_readings(const FakeNvml& fake, int readings) {
  while (fake.readings < readings) std::this_thread::yield();
}

TEST_F(NvmlMonitor, identifies_the_gpu_by_its_bus_id) {
  fake_.mig = 1;
  const auto monitor = open_monitor();
  EXPECT_EQ(monitor->facts().name, "NVIDIA Fake 80GB");
  EXPECT_EQ(monitor->facts().driver_version, "580.65.06");
  EXPECT_EQ(monitor->facts().best_link, "PCIe 5 x16");
  EXPECT_THAT(monitor->facts().memory_bytes, Optional(80'000'000U));
  EXPECT_THAT(monitor->facts().mig, Optional(true));
  EXPECT_THAT(monitor->facts().ecc, Optional(true));
}

TEST_F(NvmlMonitor, reads_at_the_begin_and_at_the_end_of_a_window) {
  const auto monitor = open_monitor();
  const int before = fake_.readings;
  monitor->start(kNever);
  wait_for_readings(fake_, before + 1);
  fake_.sm_clock = 705;
  fake_.milliwatts = 350'000;
  fake_.reasons = 0x4;
  const GpuTelemetry telemetry = monitor->stop();
  EXPECT_EQ(telemetry.readings, 2U);
  EXPECT_THAT(telemetry.sm_clock_min, Optional(DoubleEq(705e6)));
  EXPECT_THAT(telemetry.sm_clock_mean, Optional(DoubleEq((705e6 + 1410e6) / 2)));
  EXPECT_THAT(telemetry.memory_clock_mean, Optional(DoubleEq(1593e6)));
  EXPECT_THAT(telemetry.power_max, Optional(DoubleEq(350.0)));
  EXPECT_THAT(telemetry.memory_used_max, Optional(1'000'000U));
  EXPECT_THAT(telemetry.link_generation_max, Optional(4U));
  EXPECT_THAT(telemetry.link_width_max, Optional(16U));
  EXPECT_THAT(telemetry.throttled_share, Optional(0.5));
  EXPECT_THAT(telemetry.throttle_reasons, ElementsAre("power limit"));
}

TEST_F(NvmlMonitor, reads_again_after_every_period) {
  const auto monitor = open_monitor();
  const int before = fake_.readings;
  monitor->start(Nanos(1));
  wait_for_readings(fake_, before + 5);
  EXPECT_GE(monitor->stop().readings, 6U);
}

TEST_F(NvmlMonitor, uses_the_drivers_samples_of_the_window) {
  fake_.samples = {{1000, 99}, {2000, 98}};  // From before the window.
  const auto monitor = open_monitor();
  const int before = fake_.readings;
  monitor->start(kNever);
  wait_for_readings(fake_, before + 1);
  fake_.samples.push_back({3000, 30});
  fake_.samples.push_back({4000, 50});
  const GpuTelemetry telemetry = monitor->stop();
  EXPECT_THAT(telemetry.utilisation_mean, Optional(DoubleEq(0.4)));
  EXPECT_THAT(telemetry.utilisation_max, Optional(DoubleEq(0.5)));
}

TEST_F(NvmlMonitor, a_window_without_a_sample_has_no_utilization) {
  const auto monitor = open_monitor();
  monitor->start(kNever);
  EXPECT_FALSE(monitor->stop().utilisation_mean);
}

TEST_F(NvmlMonitor, measures_several_windows) {
  const auto monitor = open_monitor();
  monitor->start(kNever);
  static_cast<void>(monitor->stop());
  fake_.sm_clock = 100;
  monitor->start(kNever);
  const GpuTelemetry telemetry = monitor->stop();
  EXPECT_EQ(telemetry.readings, 2U);
  EXPECT_THAT(telemetry.sm_clock_mean, Optional(DoubleEq(100e6)));
}

TEST_F(NvmlMonitor, queries_the_utilization_of_a_gpu_without_samples) {
  fake_.results["DeviceGetSamples"] = 3;
  fake_.utilisation = 80;
  const auto monitor = open_monitor();
  monitor->start(kNever);
  EXPECT_THAT(monitor->stop().utilisation_mean, Optional(DoubleEq(0.8)));
}

TEST_F(NvmlMonitor, ignores_samples_of_another_type) {
  fake_.samples = {{1000, 99}};
  fake_.sample_type = 0;
  fake_.utilisation = 80;
  const auto monitor = open_monitor();
  monitor->start(kNever);
  EXPECT_THAT(monitor->stop().utilisation_mean, Optional(DoubleEq(0.8)));
}

TEST_F(NvmlMonitor, a_failed_call_leaves_its_figure_empty) {
  for (const char* function :
       {"DeviceGetPowerUsage", "DeviceGetCurrPcieLinkWidth", "DeviceGetSamples",
        "DeviceGetUtilizationRates", "DeviceGetName", "DeviceGetEccMode"}) {
    fake_.results[function] = 3;
  }
  const auto monitor = open_monitor();
  monitor->start(kNever);
  const GpuTelemetry telemetry = monitor->stop();
  EXPECT_FALSE(telemetry.power_max);
  EXPECT_FALSE(telemetry.link_width_max);
  EXPECT_FALSE(telemetry.utilisation_mean);
  EXPECT_EQ(monitor->facts().name, "");
  EXPECT_FALSE(monitor->facts().ecc);
  EXPECT_THAT(telemetry.sm_clock_mean, Optional(DoubleEq(1410e6)));
  EXPECT_THAT(telemetry.memory_used_max, Optional(1'000'000U));
}

TEST_F(NvmlMonitor, an_old_library_gives_the_figures_that_it_has) {
  FakeNvml& old = use(FAKE_NVML_OLD);
  old.reasons = 0x8;
  old.utilisation = 25;
  const auto monitor = open_monitor();
  monitor->start(kNever);
  const GpuTelemetry telemetry = monitor->stop();
  EXPECT_FALSE(monitor->facts().mig);
  EXPECT_THAT(telemetry.throttle_reasons, ElementsAre("hardware slowdown"));
  EXPECT_THAT(telemetry.utilisation_mean, Optional(DoubleEq(0.25)));
}

TEST_F(NvmlMonitor, a_library_that_lacks_functions_is_refused) {
  use(FAKE_NVML_BROKEN);
  EXPECT_THAT(open_gpu_monitor(kBusId).problem, HasSubstr("lacks nvmlInit_v2; it is too old"));
}

TEST_F(NvmlMonitor, a_missing_library_is_reported) {
  const ScopedVariable variable("FEEDRATE_NVML_PATH", "/no/libnvidia-ml.so");
  const MonitorOpened opened = open_gpu_monitor(kBusId);
  EXPECT_FALSE(opened.monitor);
  EXPECT_THAT(opened.problem,
              StartsWith("FEEDRATE_NVML_PATH=/no/libnvidia-ml.so: cannot be loaded"));
  EXPECT_EQ(describe_nvml(), opened.problem);
}

TEST_F(NvmlMonitor, a_missing_driver_is_reported) {
  fake_.results["Init_v2"] = 9;
  const MonitorOpened opened = open_gpu_monitor(kBusId);
  EXPECT_FALSE(opened.monitor);
  EXPECT_EQ(opened.problem,
            std::string(FAKE_NVML) + ": loaded, but cannot be initialized: Driver Not Loaded (9)");
  EXPECT_EQ(fake_.shutdowns, 0);
}

TEST_F(NvmlMonitor, a_missing_gpu_is_reported_by_its_bus_id) {
  const MonitorOpened opened = open_gpu_monitor("0000:99:00.0");
  EXPECT_FALSE(opened.monitor);
  EXPECT_EQ(opened.problem, std::string(FAKE_NVML) + ": no GPU at 0000:99:00.0: Not Found (6)");
  EXPECT_EQ(fake_.inits, 1);
  EXPECT_EQ(fake_.shutdowns, 1);
}

TEST_F(NvmlMonitor, shuts_the_library_down_even_in_an_open_window) {
  open_monitor()->start(Nanos(1));
  EXPECT_EQ(fake_.inits, 1);
  EXPECT_EQ(fake_.shutdowns, 1);
}

TEST_F(NvmlMonitor, the_library_is_called_by_one_thread_at_a_time) {
  std::latch start(2);
  const auto call_often = [&start] {
    const Nvml nvml;
    start.arrive_and_wait();
    for (int i = 0; i < 200; ++i) {
      unsigned value = 0;
      EXPECT_EQ(nvml.call(nvml.api().power_usage, NvmlDevice{}, &value), nvml::kSuccess);
    }
  };
  std::jthread other(call_often);
  call_often();
  other.join();
  EXPECT_EQ(fake_.most_calls_at_once, 1);
}

TEST_F(NvmlMonitor, describes_library_and_driver) {
  EXPECT_EQ(describe_nvml(), std::string(FAKE_NVML) + ": driver 580.65.06");
  fake_.results["SystemGetDriverVersion"] = 3;
  EXPECT_EQ(describe_nvml(), FAKE_NVML);
}

}  // namespace
}  // namespace feedrate
