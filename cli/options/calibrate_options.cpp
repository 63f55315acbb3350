// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "cli/commands/calibrate.h"
#include "cli/commands/calibrate_device.h"
#include "cli/options/outline.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

struct CalibrateArguments {
  CalibrateOptions torch;
  CalibrateDeviceOptions device;
  bool is_torch = false;
  std::optional<std::filesystem::path> out;
  bool force = false;
  std::optional<std::size_t> repeats;
};

int run(CalibrateArguments arguments, Console& console) {
  const auto start = [&](auto options, int (*command)(const decltype(options)&, Console&)) {
    if (arguments.out) options.out = *arguments.out;
    options.force = arguments.force;
    if (arguments.repeats) options.repeats = *arguments.repeats;
    return command(options, console);
  };
  return arguments.is_torch || !arguments.torch.config.empty()
             ? start(arguments.torch, run_calibrate)
             : start(arguments.device, run_calibrate_device);
}

}  // namespace

void add_calibrate(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "Measure this GPU and write a device preset for `device: sim:FILE.yaml`. With --torch or a "
      "sweep, measure the cost of PyTorch's DataLoader beyond the native loader and write a cost "
      "profile for `emulate:`. Takes seconds, or 4 to 15 minutes with --torch. Run nothing else on "
      "the machine.");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("config", arguments->torch.config,
                      "with --torch: a sweep whose samples are also measured");
  command->add_flag("--torch", arguments->is_torch,
                    "measure PyTorch's DataLoader, in a Python that has torch");
  command
      ->add_option("--device", arguments->device.device,
                   "device to measure: cuda:1, or a simulated device; default: cuda")
      ->type_name(kDeviceValue);
  command->add_option("--out", arguments->out,
                      "output file; default: device-preset.yaml, with --torch cost-profile.yaml");
  command->add_flag("--force", arguments->force, "overwrite the output file");
  require_positive(command->add_option("--repeats", arguments->repeats,
                                       "repeats of each measurement; default 9, with --torch 3"));
  command
      ->add_option("--axis", arguments->torch.overrides.axes,
                   "with a sweep: override the values of a knob: --axis format=lmdb")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
