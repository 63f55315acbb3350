// SPDX-License-Identifier: Apache-2.0
// feedrate what-if: predicts a recorded run with another GPU, other cores, or more cached data.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "analysis/report/foreign_table.h"
#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/scaling.h"
#include "core/host/console.h"

namespace feedrate {

enum class WhatIfFormat { kTable, kJson };

struct WhatIfOptions {
  std::filesystem::path run;  ///< a folder, run.json or cells.csv
  /// How to read `run` if another program wrote it.
  std::optional<ForeignColumns> table;
  World world;  ///< unchanged: the standard questions
  /// Nodes that share a storage; nothing: the recorded machine.
  std::optional<ScalingQuestion> scaling;
  /// CPUs of the recorded machine; nothing: from the run, else from this machine.
  std::optional<double> recorded_cores;
  WhatIfFormat format = WhatIfFormat::kTable;
};

/// The CPUs in the run's environment; a CSV has none.
[[nodiscard]] std::optional<double> recorded_cores(const RunResult& run);

/// Throws ConfigError if the run lacks usable cells, or those that the question needs.
[[nodiscard]] int run_what_if(const WhatIfOptions& options, Console& console);

}  // namespace feedrate
