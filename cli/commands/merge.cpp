// SPDX-License-Identifier: Apache-2.0
// feedrate merge: merges the shards of a sweep into one run.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/answer.h"
#include "analysis/report/load_run.h"
#include "analysis/report/ranks.h"
#include "analysis/report/run_writer.h"
#include "analysis/report/table.h"
#include "bench/merge_shards.h"
#include "bench/resume.h"
#include "bench/workbench.h"
#include "cli/options/subcommands.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/console.h"

namespace feedrate {
namespace {

struct MergeCommandOptions {
  // The shards' folders, or their common parent.
  std::vector<std::filesystem::path> folders;
  // Empty: the common parent if it was named, else feedrate-results/<config>-<time>.
  std::filesystem::path out;
  std::string command_line;
  MergeOptions merge;
};

namespace fs = std::filesystem;

std::vector<fs::path> shards_in(const fs::path& folder) {
  std::vector<fs::path> shards;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with("shard-") && has_run_in(entry.path())) {
      shards.push_back(entry.path());
    }
  }
  std::sort(shards.begin(), shards.end());
  return shards;
}

std::vector<ShardRun> load_shards(const std::vector<fs::path>& folders) {
  std::vector<ShardRun> shards;
  for (const fs::path& folder : folders) {
    const std::vector<fs::path> inside = shards_in(folder);
    if (inside.empty()) shards.push_back({folder, load_run(folder)});
    for (const fs::path& shard : inside) shards.push_back({shard, load_run(shard)});
  }
  return shards;
}

fs::path folder_for(const MergeCommandOptions& options, const RunResult& run) {
  if (!options.out.empty()) return options.out;
  const bool is_above = options.folders.size() == 1 && !shards_in(options.folders.front()).empty();
  return is_above ? options.folders.front() : results_folder({}, run.config_name);
}

// A merge may be repeated with more shards, but must not replace a sweep's run.
void require_no_sweep_in(const fs::path& folder) {
  if (!has_run_in(folder) || is_merged(load_run(folder))) return;
  throw ConfigError(fmt::format(
      "{}: holds a run of `feedrate sweep`; choose another folder with --out", folder.string()));
}

// Prints the table and the best settings to console.out, and writes the results folder.
int run_merge(const MergeCommandOptions& options, Console& console) {
  const std::vector<ShardRun> shards = load_shards(options.folders);
  RunResult run = merge_shards(shards, options.merge);
  run.command = options.command_line;
  const fs::path folder = folder_for(options, run);
  require_no_sweep_in(folder);
  const SteadyClock clock;
  RunWriter(folder, clock, EarlierRun::kReplace).write(run);
  print_results(console.out, run, TableStyle::kTerminal, terminal_width());
  console.out << fmt::format("\nMerged: {} shards\nWritten: {}/cells.csv, run.json, table.md{}\n",
                             shards.size(), folder.string(), has_ranks(run) ? ", ranks.csv" : "");
  // --partial accepted the missing parts
  run.interrupted = false;
  return exit_code_of(run);
}

}  // namespace

void add_merge(CLI::App& app, const std::string& command_line, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand("merge", "Merge the shards of a sweep into one run.");
  const auto options = std::make_shared<MergeCommandOptions>();
  options->command_line = command_line;
  command
      ->add_option("folders", options->folders,
                   "results folders of the shards, or the folder that contains them")
      ->required();
  command->add_option("--out", options->out,
                      "results folder; default: the folder that contains the shards, or "
                      "feedrate-results/<config>-<time>");
  command->add_flag("--partial", options->merge.partial,
                    "merge even if shards are missing or incomplete; `feedrate sweep --resume` can "
                    "measure the rest");
  command->add_flag("--mix", options->merge.may_mix,
                    "merge even if the machine, device, dataset or feedrate version differs");
  command->footer(
      "Shards with different configurations, options or plans are rejected, and so are duplicate "
      "shards. `feedrate help slurm` has a full example.");
  command->callback(
      [=] { chosen([=](Console& console) { return run_merge(*options, console); }); });
}

}  // namespace feedrate
