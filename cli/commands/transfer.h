// SPDX-License-Identifier: Apache-2.0
// feedrate compare --transfer: checks whether settings chosen with one result hold in another.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/host/console.h"

namespace feedrate {

struct TransferCommandOptions {
  std::filesystem::path a;  ///< a results folder, run.json or cells.csv
  std::filesystem::path b;  ///< the same; empty with `by`
  std::string by;           ///< instead of `b`: divides A, "engine" or "engine=native,torch"
  std::vector<std::string> ignored;  ///< settings that may differ in matched cells
  std::vector<std::string> only;     ///< "emulate=": only these cells of A
  std::filesystem::path csv;         ///< additional output file for the cells; empty: none
  bool markdown = false;
};

/// Returns kExitUsage if the two have no measured cell in common. Throws ConfigError.
[[nodiscard]] int run_transfer(const TransferCommandOptions& options, Console& console);

}  // namespace feedrate
