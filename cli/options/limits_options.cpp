// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands/limits.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"

namespace feedrate {
namespace {

constexpr const char* kLimitsFooter =
    "A sample is read, decoded, transformed, collated and copied to the GPU. Each stage has a\n"
    "hardware limit that no DataLoader setting changes. A loader is never faster than the slowest "
    "stage.\n"
    "A sweep whose rate is near a limit is bound by the hardware; far below, by its settings.\n"
    "\n"
    "Takes about a minute and 1 GB of temporary space in the folder. Run nothing else on the\n"
    "machine. Cold reads drop the page cache of their own files only; root is not needed.\n"
    "\n"
    "Topics: memory, storage, files, formats, decode, transforms, samples, device (skipped\n"
    "without a GPU) and, with a sweep, dataset.\n"
    "\n"
    "Examples:\n"
    "  feedrate limits\n"
    "  feedrate limits sweep.yaml                        also measure the dataset of the sweep\n"
    "  feedrate limits --only storage --folder /scratch  measure another disk\n"
    "  feedrate limits --only 'memory/copy|decode' --json\n"
    "`feedrate help limits` describes each row.";

}  // namespace

void add_limits(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "limits",
      "Measure hardware limits: memory, storage, decoding, transforms, the link to the GPU.");
  const auto options = std::make_shared<LimitsCommandOptions>();
  command->add_option("config", options->config,
                      "a sweep: also measure its dataset and the storage of its dataset");
  command->add_option("--only", options->only,
                      "only limits whose names match this regular expression: --only "
                      "'storage|memory/copy'; default: all");
  command
      ->add_option("--min-time", options->min_time, "minimum seconds per measurement; default 0.2")
      ->check(in_range(1e-6, 3600.0));
  command->add_option("--folder", options->folder,
                      "folder for temporary files, on the storage to measure; default: next to the "
                      "dataset of the sweep, or the working directory");
  command->add_flag("--json", options->json, "print JSON");
  command->footer(kLimitsFooter);
  command->callback(
      [=] { chosen([=](Console& console) { return run_limits(*options, console); }); });
}

}  // namespace feedrate
