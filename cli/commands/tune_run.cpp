// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "analysis/tuner/model_check.h"
#include "analysis/tuner/replayable.h"
#include "analysis/tuner/what_if_text.h"
#include "cli/commands/tune.h"
#include "cli/commands/what_if_json.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/cpu.h"

namespace feedrate {

int tune_watched_run(const std::filesystem::path& folder, bool json, Console& console) {
  RunResult run = load_run(folder);
  if (!run.history) {
    throw ConfigError(
        fmt::format("{0}: is the folder of a sweep or a tune; must be a configuration (feedrate "
                    "tune CONFIG --out {0} continues a tune) or the folder of a `feedrate run`",
                    folder.string()));
  }
  require_replayable(run, folder.string());
  const double cores = recorded_cores(run).value_or(usable_cpus());
  add_unmeasured(run, cores);
  const std::vector<World> as_it_was(1);
  const std::vector<Situation> situations = what_if(run, cores, as_it_was);
  if (situations.empty()) {
    throw ConfigError(fmt::format("{}: no loader had enough steps", folder.string()));
  }
  const WhatIfFindings findings{run, folder.string(), cores, situations, terminal_width()};
  if (json) {
    write_what_if_json(console.out, findings);
    return kExitOk;
  }
  print_forecasts(console.out, findings);
  console.out
      << "\n`feedrate run --tune` tries settings while a script trains, and keeps the best.\n";
  return kExitOk;
}

int run_model_check(const ModelCheckOptions& options, Console& console) {
  const RunResult run = load_run(options.run);
  require_replayable(run, options.run.string());
  const double cores = options.cores > 0.0 ? options.cores : usable_cpus();
  const std::vector<CheckedCell> checked = check_model(run, cores);
  if (checked.empty()) {
    throw ConfigError(
        fmt::format("{}: has no measured cell that the model can predict; must be a sweep with a "
                    "loader and a trainer",
                    options.run.string()));
  }
  print_model_check(console.out, checked);
  return kExitOk;
}

}  // namespace feedrate
