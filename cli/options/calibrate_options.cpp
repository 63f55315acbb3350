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
  CLI::App* command =
      app.add_subcommand("calibrate",
                         "Measure this GPU, as a preset for `device: sim:FILE.yaml`; or, with "
                         "--torch or a sweep, what "
                         "PyTorch's DataLoader costs here beyond the native loader, as a profile "
                         "for `emulate:`. Takes "
                         "seconds, and 4 to 15 minutes with --torch, until the figures have "
                         "settled; leave the machine alone.");
  const auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("config", arguments->torch.config,
                      "with --torch: a sweep whose samples are measured, too");
  command->add_flag("--torch", arguments->is_torch,
                    "the real DataLoader, in the Python that has torch");
  command
      ->add_option("--device", arguments->device.device,
                   "the GPU to measure: cuda:1; or a simulated one; default: cuda")
      ->type_name(kDeviceValue);
  command->add_option("--out", arguments->out,
                      "default: device-preset.yaml; with --torch: cost-profile.yaml");
  command->add_flag("--force", arguments->force, "replace what the file of --out holds");
  require_positive(command->add_option("--repeats", arguments->repeats, "of each measurement"));
  command
      ->add_option("--axis", arguments->torch.overrides.axes,
                   "with a sweep, values for a knob instead of the file's: --axis format=lmdb")
      ->type_name(kKnobValue)
      ->allow_extra_args(false);
  command->callback([=] { chosen([=](Console& console) { return run(*arguments, console); }); });
}

}  // namespace feedrate
