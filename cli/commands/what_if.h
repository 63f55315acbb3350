// SPDX-License-Identifier: Apache-2.0
// feedrate what-if: what a recorded run would reach with another GPU, other cores, more data
// cached.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/scaling.h"
#include "cli/commands/foreign_table.h"
#include "core/host/console.h"

namespace feedrate {

enum class WhatIfFormat { kTable, kJson };

struct WhatIfOptions {
  std::filesystem::path run;  ///< a folder, run.json or cells.csv
  /// `run` is a table that somebody made by hand.
  std::optional<ForeignColumns> table;
  World world;  ///< unchanged: the standard questions
  /// Nodes that share a storage; nothing: the machine that it was recorded on.
  std::optional<ScalingQuestion> scaling;
  /// CPUs of the machine that the run was recorded on; nothing: as the run says, else as here.
  std::optional<double> recorded_cores;
  WhatIfFormat format = WhatIfFormat::kTable;
};

/// CPUs of its machine, as its environment has them; a CSV has none.
[[nodiscard]] std::optional<double> recorded_cores(const RunResult& run);

/// Throws ConfigError where the run has no cell that says anything, or not those that the question
/// needs.
[[nodiscard]] int run_what_if(const WhatIfOptions& options, Console& console);

}  // namespace feedrate
