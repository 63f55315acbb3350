// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/calibrate_device.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/calibration/device_probes.h"
#include "bench/plan/device_preset.h"
#include "bench/plan/named_device.h"
#include "bench/plan/yaml_file.h"
#include "core/clock.h"
#include "core/host/cpu.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

std::string source_of(const DeviceInfo& info) {
  return fmt::format("{}measured by feedrate calibrate on {:%Y-%m-%d}: {} ({}); {}",
                     info.simulated ? "simulated: " : "", fmt::gmtime(std::time(nullptr)),
                     info.name, info.details, read_cpu_info().model);
}

std::string text_of(const DeviceCalibration& calibration) {
  std::string text = to_yaml(calibration.spec) + "\n# Also found:\n";
  for (const DeviceFinding& finding : calibration.findings) {
    text += fmt::format("# {}: {}\n", finding.what, finding.value);
  }
  return text;
}

}  // namespace

int run_calibrate_device(const CalibrateDeviceOptions& options, Console& console) {
  SteadyClock clock;
  const auto device = open_named_device(options.device, clock);
  claim_file(options.out, options.force);
  DeviceProbeOptions probing;
  probing.repeats = options.repeats;
  probing.on_progress = [&](const std::string& what) {
    console.err << fmt::format("{}: {}\n", device->info().name, what);
  };
  DeviceCalibration calibration = calibrate_device(*device, probing);
  calibration.spec.name = options.out.stem().string();
  calibration.spec.source = source_of(device->info());
  const std::string text = text_of(calibration);
  replace_file(options.out, text);
  console.out << text << fmt::format("\nWritten: {}\n", options.out.string());
  return kExitOk;
}

}  // namespace feedrate
