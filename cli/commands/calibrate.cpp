// SPDX-License-Identifier: Apache-2.0
// feedrate calibrate: measures copies, calls and kernels on this GPU as a preset for `device:
// sim:FILE.yaml`, or the cost of PyTorch's DataLoader as a profile for `emulate:`.
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "bench/calibrate_torch.h"
#include "bench/calibration/device_probes.h"
#include "bench/dataset_catalog.h"
#include "bench/overrides.h"
#include "bench/plan/device_preset.h"
#include "bench/plan/named_device.h"
#include "bench/plan/yaml_file.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/host/cpu.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

struct CalibrateOptions {
  std::filesystem::path config;  // a sweep whose samples are measured, too; may be empty
  SweepOverrides overrides;
  std::string device = "cuda";
  bool is_torch = false;
  std::optional<std::filesystem::path> out;
  bool force = false;
  std::optional<std::size_t> repeats;
};

std::optional<SweepConfig> load_samples(const CalibrateOptions& options) {
  if (options.config.empty()) return std::nullopt;
  SweepConfig config = load_sweep(options.config, options.overrides);
  if (config.dataset.is_own()) {
    throw ConfigError(fmt::format(
        "{}: dataset.torch: the native engine cannot load it, so there is nothing to compare with; "
        "calibrate with a sweep over a dataset of files, or without a sweep",
        options.config.string()));
  }
  require_dataset(config.dataset);
  return config;
}

// `file` may be /dev/stdout.
void remove_if_empty(const std::filesystem::path& file) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(file, error);
  if (is_file && std::filesystem::is_empty(file, error)) std::filesystem::remove(file, error);
}

int write_calibration(const std::filesystem::path& file, const std::string& text,
                      Console& console) {
  replace_file(file, text);
  console.out << text << fmt::format("\nWritten: {}\n", file.string());
  return kExitOk;
}

// Refuses a profile that has not settled.
int calibrate_loader(const CalibrateOptions& options, const std::filesystem::path& out,
                     Console& console) {
  const std::optional<SweepConfig> config = load_samples(options);
  const SweepConfig* const samples = config ? &*config : nullptr;
  claim_file(out, options.force);
  const TorchRuntime runtime = find_torch_to_calibrate(samples, console.stop);
  const Calibration calibration =
      calibrate_torch(samples, runtime, {.repeats = options.repeats.value_or(3)}, console);
  if (calibration.unsettled.empty()) {
    return write_calibration(out, to_yaml(calibration.profile), console);
  }
  remove_if_empty(out);
  console.err << fmt::format("{}\nNothing was written.\n", calibration.unsettled);
  return kExitCellFailed;
}

std::string source_of(const DeviceInfo& info) {
  return fmt::format("{}measured by feedrate calibrate on {:%Y-%m-%d}: {} ({}); {}",
                     info.simulated ? "simulated: " : "", fmt::gmtime(std::time(nullptr)),
                     info.name, info.details, read_cpu_info().model);
}

int calibrate_gpu(const CalibrateOptions& options, const std::filesystem::path& out,
                  Console& console) {
  SteadyClock clock;
  const auto device = open_named_device(options.device, clock);
  claim_file(out, options.force);
  DeviceProbeOptions probing;
  probing.repeats = options.repeats.value_or(9);
  probing.on_progress = [&](const std::string& what) {
    console.err << fmt::format("{}: {}\n", device->info().name, what);
  };
  DeviceCalibration calibration = calibrate_device(*device, probing);
  calibration.spec.name = out.stem().string();
  calibration.spec.source = source_of(device->info());
  std::string text = to_yaml(calibration.spec) + "\n# Also found:\n";
  for (const DeviceFinding& finding : calibration.findings) {
    text += fmt::format("# {}: {}\n", finding.what, finding.value);
  }
  return write_calibration(out, text, console);
}

int run_calibrate(const CalibrateOptions& options, Console& console) {
  return options.is_torch || !options.config.empty()
             ? calibrate_loader(options, options.out.value_or("cost-profile.yaml"), console)
             : calibrate_gpu(options, options.out.value_or("device-preset.yaml"), console);
}

}  // namespace

void add_calibrate(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure this GPU and write a device preset for `device: sim:FILE.yaml`. With --torch or a "
      "sweep, measure the cost of PyTorch's DataLoader beyond the native loader and write a cost "
      "profile for `emulate:`. Takes seconds, or 4 to 15 minutes with --torch. Run nothing else on "
      "the machine.");
  const auto options = std::make_shared<CalibrateOptions>();
  command->add_option("config", options->config,
                      "with --torch: a sweep whose samples are also measured");
  command->add_flag("--torch", options->is_torch,
                    "measure PyTorch's DataLoader, in a Python that has torch");
  command
      ->add_option("--device", options->device,
                   "device to measure: cuda:1, or a simulated device; default: cuda")
      ->type_name(kDeviceValue);
  command->add_option("--out", options->out,
                      "output file; default: device-preset.yaml, with --torch cost-profile.yaml");
  command->add_flag("--force", options->force, "overwrite the output file");
  require_positive(command->add_option("--repeats", options->repeats,
                                       "repeats of each measurement; default 9, with --torch 3"));
  command
      ->add_option("--axis", options->overrides.axes,
                   "with a sweep: override the values of a knob: --axis format=lmdb")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command->callback(
      [=] { chosen([=](Console& console) { return run_calibrate(*options, console); }); });
}

}  // namespace feedrate
