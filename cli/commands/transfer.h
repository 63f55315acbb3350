// SPDX-License-Identifier: Apache-2.0
// feedrate compare --transfer: do the settings chosen with one result hold in another?
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct TransferCommandOptions {
  std::filesystem::path a;  ///< a results folder, run.json or cells.csv
  std::filesystem::path b;  ///< the same; empty with `by`
  std::string by;           ///< instead of `b`: divide A, "engine" or "engine=native,torch"
  std::vector<std::string> ignored;  ///< settings that cells are not matched by
  std::vector<std::string> only;     ///< "emulate=": only these cells of A
  std::filesystem::path csv;         ///< where the cells are written, too; nowhere where empty
  bool markdown = false;
};

/// kExitUsage if the two have no measured cell in common. Throws ConfigError.
[[nodiscard]] int run_transfer(const TransferCommandOptions& options, Console& console);

}  // namespace feedrate
