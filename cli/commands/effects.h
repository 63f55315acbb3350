// SPDX-License-Identifier: Apache-2.0
// feedrate effects: prints what each setting of a run, or of another program's table, is worth. One
// thread.
#pragma once
#include <filesystem>
#include <optional>

#include "analysis/report/foreign_table.h"
#include "cli/cli.h"

namespace feedrate {

struct EffectsOptions {
  std::filesystem::path run;            ///< a folder of results, run.json, cells.csv or a table
  std::optional<ForeignColumns> table;  ///< how to read another program's table
  bool json = false;
};

/// Throws ConfigError if no two cells differ in one setting alone.
[[nodiscard]] int run_effects(const EffectsOptions& options, Console& console);

}  // namespace feedrate
