// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

// An NVML sample covers 1/6 to 1 s and the first may begin before the window. So windows below 2 s
// are not compared, and a difference below kContradiction is no contradiction.
constexpr std::size_t kEnoughReadings = 20;
constexpr double kContradiction = 0.3;

void add_telemetry_figures(StartReport& report, const GpuTelemetry& telemetry) {
  const auto add = [&](const char* tag, const auto& value) {
    if (value) report.add(tag, static_cast<double>(*value));
  };
  add("nvml_utilisation", telemetry.utilisation_mean);
  add("nvml_utilisation_max", telemetry.utilisation_max);
  add("sm_clock", telemetry.sm_clock_mean);
  add("sm_clock_min", telemetry.sm_clock_min);
  add("memory_clock", telemetry.memory_clock_mean);
  add("gpu_power", telemetry.power_mean);
  add("gpu_power_max", telemetry.power_max);
  add("gpu_memory_max", telemetry.memory_used_max);
  add("gpu_throttled", telemetry.throttled_share);
  add("pcie_generation_max", telemetry.link_generation_max);
  add("pcie_width_max", telemetry.link_width_max);
}

// The texts contain no figures of the cell, so that equal warnings of many cells merge.
void add_telemetry_warnings(StartReport& report, const GpuTelemetry& telemetry) {
  if (!telemetry.throttle_reasons.empty()) {
    report.warnings.push_back(fmt::format(
        "The GPU's clocks were throttled while cells were measured ({}): see gpu_throttled.",
        fmt::join(telemetry.throttle_reasons, ", ")));
  }
  const double* const busy = find_metric(report.repeat.metrics, "gpu_busy");
  if (!busy || !telemetry.utilisation_mean || telemetry.readings < kEnoughReadings) return;
  const double more = *telemetry.utilisation_mean - *busy;
  if (more > kContradiction) {
    report.warnings.emplace_back(
        "NVML reports the GPU much busier than feedrate's kernels make it; another program may use "
        "it: compare nvml_utilisation with gpu_busy.");
  }
  if (more < -kContradiction) {
    report.warnings.emplace_back(
        "NVML reports the GPU much less busy than the events do: compare nvml_utilisation with "
        "gpu_busy.");
  }
}

class GpuMonitorWindow final : public StartObserver {
 public:
  explicit GpuMonitorWindow(GpuMonitor& monitor) : monitor_(monitor) {}
  ~GpuMonitorWindow() override { end(); }

  void begin_window() override {
    monitor_.start(kMonitorPeriod);
    is_open_ = true;
  }
  void end_window() override { end(); }

  void after_loader(StartReport& report) override {
    if (!seen_) return;
    add_telemetry_figures(report, *seen_);
    add_telemetry_warnings(report, *seen_);
    report.telemetry = std::move(seen_);
  }

 private:
  void end() {
    if (std::exchange(is_open_, false)) seen_ = monitor_.stop();
  }

  GpuMonitor& monitor_;
  bool is_open_ = false;
  std::optional<GpuTelemetry> seen_;
};

}  // namespace

std::unique_ptr<StartObserver> make_gpu_monitor_observer(GpuMonitor& monitor) {
  return std::make_unique<GpuMonitorWindow>(monitor);
}

}  // namespace feedrate
