// SPDX-License-Identifier: Apache-2.0
// feedrate effects: prints what each setting of a run, or of another program's table, is worth. One
// thread.
#include "analysis/effects.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/effects_print.h"
#include "analysis/report/foreign_table.h"
#include "analysis/report/load_run.h"
#include "cli/cli.h"
#include "cli/options/shared_options.h"
#include "cli/options/subcommands.h"
#include "cli/terminal_width.h"
#include "core/error.h"

namespace feedrate {
namespace {

struct EffectsOptions {
  std::filesystem::path run;            // a folder of results, run.json, cells.csv or a table
  std::optional<ForeignColumns> table;  // how to read another program's table
  bool json = false;
};

// Throws ConfigError if no two cells differ in one setting alone.
int run_effects(const EffectsOptions& options, Console& console) {
  const RunResult run =
      options.table ? read_foreign_table(options.run, *options.table) : load_run(options.run);
  const std::vector<Effect> effects = effects_of(run);
  if (effects.empty()) {
    throw ConfigError(
        fmt::format("{}: no two measured cells differ in one setting alone; sweep a setting with "
                    "several values, such as --axis pin_memory=false,true",
                    options.run.string()));
  }
  if (options.json) {
    console.out << effects_to_json(effects);
  } else {
    print_effects(console.out, effects, TableStyle::kTerminal, terminal_width());
  }
  return kExitOk;
}

constexpr const char* kEffectsFooter =
    "Nothing is measured. Two cells that differ in one setting alone are a pair; the effect of a "
    "value\n"
    "is the mean over its pairs of its rate divided by the rate with the reference value: "
    "PyTorch's\n"
    "default if it was measured, else the first value. The interval contains the result of a "
    "second\n"
    "run of the same sweep with a probability of 95 %. Settings whose effect depends on another "
    "setting\n"
    "are listed.\n"
    "\n"
    "Examples:\n"
    "  feedrate effects feedrate-results/A\n"
    "  feedrate effects feedrate-results/A --json\n"
    "  feedrate effects course.csv --columns workers=num_workers,seconds=epoch_time \\\n"
    "      --given batch_size=256,samples=50000\n"
    "`feedrate help measurement` has the definition.";

}  // namespace

void add_effects(CLI::App& app, const Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("effects", "Print what each setting of a run is worth by itself.");
  const auto options = std::make_shared<EffectsOptions>();
  command
      ->add_option("run", options->run,
                   "results of a sweep: a folder, run.json or cells.csv; or another CSV, with "
                   "--columns")
      ->required();
  add_foreign_table(*command, options->table);
  command->add_flag("--json", options->json, "print JSON");
  command->footer(kEffectsFooter);
  command->callback(
      [=] { chosen([=](Console& console) { return run_effects(*options, console); }); });
}

}  // namespace feedrate
