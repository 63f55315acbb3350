// SPDX-License-Identifier: Apache-2.0
// feedrate merge: the shards of a sweep become one run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/merge_shards.h"
#include "core/host/console.h"

namespace feedrate {

struct MergeCommandOptions {
  /// Of the shards, or one that they lie in.
  std::vector<std::filesystem::path> folders;
  /// Empty: the one that the shards lie in, where that was named, else
  /// feedrate-results/<config>-<time>.
  std::filesystem::path out;
  std::string command_line;
  MergeOptions merge;
};

/// Prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_merge(const MergeCommandOptions& options, Console& console);

}  // namespace feedrate
