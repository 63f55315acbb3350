// SPDX-License-Identifier: Apache-2.0
// feedrate merge: merges the shards of a sweep into one run.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "bench/merge_shards.h"
#include "core/host/console.h"

namespace feedrate {

struct MergeCommandOptions {
  /// The shards' folders, or their common parent.
  std::vector<std::filesystem::path> folders;
  /// Empty: the common parent if it was named, else feedrate-results/<config>-<time>.
  std::filesystem::path out;
  std::string command_line;
  MergeOptions merge;
};

/// Prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_merge(const MergeCommandOptions& options, Console& console);

}  // namespace feedrate
