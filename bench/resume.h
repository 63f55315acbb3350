// SPDX-License-Identifier: Apache-2.0
// An earlier run that is to go on: what is missing in it, and whether this is still the same sweep
// on the same machine. One thread.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config.h"
#include "bench/plan/plan.h"
#include "core/result.h"

namespace feedrate {

struct ResumeOptions {
  std::filesystem::path folder;  ///< of the results; empty: a new run
  bool retry_failed = false;     ///< cells that failed become pending again
  bool may_mix = false;          ///< also where the machine or the device is another one
  /// Go on with what is in the folder that a new run would take, if there is something: so the same
  /// command line begins a run and goes on with it.
  bool or_begin = false;

  [[nodiscard]] bool is_wanted() const { return !folder.empty(); }
};

/// Whether `folder` has a run.json to go on with.
[[nodiscard]] bool has_run_in(const std::filesystem::path& folder);
/// Throws ConfigError where it has not.
void require_run_in(const std::filesystem::path& folder);

/// Throws ConfigError naming the first cell that differs.
void require_same_plan(const RunResult& stored, const std::vector<Cell>& plan,
                       const std::filesystem::path& folder);

/// Cells that were skipped for what the machine had left then, not by the plan, become pending.
void plan_skipped_cells(RunResult& run, const std::vector<Cell>& plan);

/// Failed cells become pending; what they had measured stays.
void retry_failed_cells(RunResult& run);

/// A cell in which feedrate was killed twice fails, so that one that always ends it by force is not
/// tried for ever. `killed_in` as of RunWriter; `cure` says how to try it again.
void fail_cells_that_kill(RunResult& run, const std::vector<std::size_t>& killed_in,
                          std::string_view cure);

/// "r: 12 starts are missing", and how to get more of what is not.
[[nodiscard]] std::string describe_missing(const RunResult& run, std::size_t repeats,
                                           const std::filesystem::path& folder);

/// Of a run that goes on: `now` with what is only known of before, and a doubt for each thing that
/// is another one now. Throws ConfigError where machine, device or dataset are, unless `options`
/// allow it.
[[nodiscard]] Environment continued_environment(const Environment& before, Environment now,
                                                const ResumeOptions& options);

}  // namespace feedrate
