#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/limits.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

constexpr const char* kLimitsFooter =
    "A sample is read, decoded, transformed, collated and copied to the GPU. Each of these\n"
    "has a limit that no setting of a DataLoader changes; the loader is never faster than the "
    "slowest.\n"
    "Compare a sweep with them: a rate near a limit is the hardware's, one far below is the "
    "settings'.\n\n"
    "It takes about a minute and 1 GB of room in the folder, all of which it gives back. Leave "
    "the\n"
    "machine alone meanwhile. Cold reads drop the page cache of their own files only; no root is "
    "needed.\n\n"
    "Topics: memory, storage, files, formats, decode, transforms, samples, device (left out\n"
    "without a GPU) and, with a sweep, dataset.\n\n"
    "Examples:\n"
    "  feedrate limits\n"
    "  feedrate limits configs/quickstart.yaml           the sweep's own dataset, too\n"
    "  feedrate limits --only storage --folder /scratch  how fast is that disk?\n"
    "  feedrate limits --only 'memory/copy|decode' --json\n"
    "docs/limits.md says what each row means.";

}  // namespace

void add_limits(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "limits",
      "Measure what this machine allows: memory, storage, decoding, transforms, the GPU's link.");
  const auto options = std::make_shared<LimitsCommandOptions>();
  command->add_option("config", options->config,
                      "a sweep: its dataset is measured, too, and the storage where it lies");
  command->add_option("--only", options->only,
                      "only limits whose name matches this regular expression: --only "
                      "'storage|memory/copy'");
  command
      ->add_option("--min-time", options->min_time,
                   "seconds that each is measured for, at least; default 0.2")
      ->check(in_range(1e-6, 3600.0));
  command->add_option("--folder", options->folder,
                      "where files are made, on the storage to be measured; default: beside the "
                      "sweep's dataset, or the working directory");
  command->add_flag("--json", options->json, "as JSON");
  command->footer(kLimitsFooter);
  command->callback(
      [=] { chosen([=](Console& console) { return run_limits(*options, console); }); });
}

}  // namespace feedrate
