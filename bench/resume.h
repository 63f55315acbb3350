// SPDX-License-Identifier: Apache-2.0
// Resumes an earlier run: finds what is missing, and whether sweep and machine are still the same.
// Tells which results may be combined. One thread.
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
  std::filesystem::path folder;  ///< the folder with the results; empty: a new run
  bool retry_failed = false;     ///< failed cells become pending again
  bool may_mix = false;          ///< allow another machine or device
  /// Resume if the folder of a new run has results, else begin: the same command line does both.
  bool or_begin = false;

  [[nodiscard]] bool is_wanted() const { return !folder.empty(); }
};

/// Whether `folder` has a run.json to resume.
[[nodiscard]] bool has_run_in(const std::filesystem::path& folder);
/// Throws ConfigError if it has none.
void require_run_in(const std::filesystem::path& folder);

/// Throws ConfigError if the configuration in `file` is not that of the run; an empty path is none.
void require_same_config(const RunResult& stored, const std::filesystem::path& file,
                         const std::filesystem::path& folder);

/// Throws ConfigError naming the first cell that differs.
void require_same_plan(const RunResult& stored, const std::vector<Cell>& plan,
                       const std::filesystem::path& folder);

/// Cells that were skipped because of the machine's state, not by the plan, become pending.
void plan_skipped_cells(RunResult& run, const std::vector<Cell>& plan);

/// Failed cells become pending; their measurements stay.
void retry_failed_cells(RunResult& run);

/// Fails a cell in which feedrate was killed twice, so that it is not retried for ever. `killed_in`
/// as of RunWriter; `cure` says how to retry.
void fail_cells_that_kill(RunResult& run, const std::vector<std::size_t>& killed_in,
                          std::string_view cure);

/// "r: 12 starts are missing", and how to get more if none is.
[[nodiscard]] std::string describe_missing(const RunResult& run, std::size_t repeats,
                                           const std::filesystem::path& folder);

/// The environment of a resumed run: `now` with the facts that only `before` has, and a warning for
/// each that changed. Throws ConfigError if machine, device or dataset changed, unless `options`
/// allow it.
[[nodiscard]] Environment continued_environment(const Environment& before, Environment now,
                                                const ResumeOptions& options);

/// Results that differ in this fact must not be combined.
[[nodiscard]] bool must_match(const std::string& name);

/// A difference may change numbers a little and deserves a warning. Includes all facts of the
/// function above.
[[nodiscard]] bool is_worth_a_warning(const std::string& name);

/// The name for messages: "the dataset", "device cuda".
[[nodiscard]] std::string fact_in_words(const std::string& name);

/// Whether `warnings` has `warning`, ignoring figures.
[[nodiscard]] bool holds_warning(const std::vector<std::string>& warnings,
                                 const std::string& warning);

}  // namespace feedrate
