// SPDX-License-Identifier: Apache-2.0
// feedrate limits: measures the hardware limits of this machine.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/environment.h"
#include "bench/limits/limit.h"
#include "bench/limits/measure.h"
#include "bench/plan/cell_spec.h"
#include "cli/commands/limits_json.h"
#include "cli/commands/sweep.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/console.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

struct LimitsCommandOptions {
  // A sweep whose dataset is measured, too; empty: none.
  std::filesystem::path config = {};
  // Folder for temporary files; empty: next to the sweep's dataset, else the working directory.
  std::filesystem::path folder = {};
  std::string only = {};
  double min_time = 0.2;
  bool json = false;
};

namespace fs = std::filesystem;

fs::path folder_for(const LimitsCommandOptions& options, const fs::path& dataset) {
  if (!options.folder.empty()) return options.folder;
  if (is_remote(dataset.native())) return ".";
  const fs::path parent = dataset.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

ReadOptions reads_of(const SweepConfig& config) {
  Settings first;
  for (const Axis& axis : config.axes) first.push_back({axis.name, axis.values.front()});
  return make_cell_spec(first, config.measure.seed).reads;
}

LimitsOptions asked(const LimitsCommandOptions& options) {
  LimitsOptions wanted;
  wanted.only = options.only;
  wanted.min_time = options.min_time;
  fs::path dataset;
  if (!options.config.empty()) {
    const SweepConfig config = load_sweep(options.config, {});
    if (config.dataset.is_own()) {
      throw ConfigError(fmt::format(
          "{}: dataset.torch: only PyTorch can load this dataset; limits needs dataset.path",
          options.config.string()));
    }
    dataset = config.dataset.path;
    wanted.own = OwnData{dataset, config.pipeline, reads_of(config)};
  }
  wanted.folder = folder_for(options, dataset);
  return wanted;
}

void print_progress(Console& console, const Limit& row, std::size_t done, std::size_t total) {
  const std::string line = fmt::format("[{}/{}] {}", done + 1, total, id_of(row));
  if (console.err_is_terminal) {
    console.err << '\r' << line << "\033[K" << std::flush;
  } else {
    console.err << line << std::endl;
  }
}

bool is_complete(const Limits& limits) {
  return std::all_of(limits.sections.begin(), limits.sections.end(), [](const auto& section) {
    return std::none_of(section.rows.begin(), section.rows.end(),
                        [](const Limit& row) { return std::isnan(row.value); });
  });
}

// Prints tables or JSON to console.out. Returns exit code 1 if a limit could not be measured.
int run_limits(const LimitsCommandOptions& options, Console& console) {
  const LimitsOptions wanted = asked(options);
  const Environment environment = machine_environment(wanted.folder);
  const Limits limits = measure_limits(
      wanted,
      [&](const Limit& row, std::size_t done, std::size_t total) {
        print_progress(console, row, done, total);
      },
      console.stop);
  if (console.err_is_terminal) console.err << "\r\033[K" << std::flush;
  if (options.json) {
    print_limits_json(console.out, limits, environment);
  } else {
    print_limits(console.out, limits, terminal_width());
    print_warnings(console.out, "these figures", environment.warnings);
  }
  if (limits.is_interrupted) {
    console.err << "feedrate: interrupted; the measured limits are printed\n";
    return kExitInterrupted;
  }
  return is_complete(limits) ? kExitOk : kExitCellFailed;
}

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
