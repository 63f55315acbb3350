// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/effects.h"

#include <vector>

#include <fmt/format.h>

#include "analysis/effects.h"
#include "analysis/report/effects_print.h"
#include "analysis/report/load_run.h"
#include "cli/terminal_width.h"
#include "core/error.h"

namespace feedrate {

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

}  // namespace feedrate
