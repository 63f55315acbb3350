// SPDX-License-Identifier: Apache-2.0
// Whether the answer of sweep A holds for sweep B, of the same plan: two engines, two machines, or
// before and after a change. Settings chosen with A transfer to B if both rank the cells alike. Any
// thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/match.h"
#include "analysis/transfer_figures.h"
#include "core/result.h"

namespace feedrate {

struct TransferredCell {
  std::vector<std::string> settings;  ///< texts of Transfer::varying
  double step_time_a = 0.0;           ///< NaN if missing
  double step_time_b = 0.0;
  double error = 0.0;  ///< step_time_a / step_time_b - 1
  double rate_a = 0.0;
  double rate_b = 0.0;
  double rank_a = 0.0;  ///< 1 is the fastest; equal rates share their mean rank
  double rank_b = 0.0;
  bool is_best_in_a = false;
  bool is_proposed_by_a = false;
  bool is_best_in_b = false;
};

struct Transfer {
  std::string label_a;
  std::string label_b;
  std::vector<std::string> varying;
  std::vector<TransferredCell> cells;      ///< in A's order
  TransferFigures figures;                 ///< default without cells
  std::vector<std::string> disagreements;  ///< one per figures.disagreements
  std::vector<Difference> not_measured;    ///< in both, not ok in one: the outcomes
  std::size_t skipped_in_both = 0;
  std::vector<std::string> unmatched_a;
  std::vector<std::string> unmatched_b;
  std::vector<std::string> ambiguous;  ///< several cells have these settings
  std::vector<std::string> limits;     ///< analysis/best.h
  std::vector<std::string> undivided;  ///< cells of a divided result in neither half
  std::vector<Difference> ignored;     ///< settings not matched by
  std::string simulation_a;            ///< empty if measured on a real device
  std::string simulation_b;
};

struct TransferOptions {
  /// Settings not matched by, besides `engine` and constants that differ between A and B.
  std::vector<std::string> ignored = {};
  std::string label_a = "A";
  std::string label_b = "B";
  Bootstrap bootstrap = {};
};

/// Matches cells by the settings that both have. Limits (analysis/best.h) are left out unless there
/// is nothing else.
[[nodiscard]] Transfer transfer_between(const RunResult& a, const RunResult& b,
                                        const TransferOptions& options = {});

struct DividedRun {
  RunResult a;
  RunResult b;
  std::string value_a;
  std::string value_b;
  std::vector<std::string> undivided;  ///< other values, and cells without a value
};

/// `by` is "engine", if it has two values (A gets the first one of the plan), or
/// "engine=native,torch". Throws ConfigError if there are not two values, or no cell has one.
[[nodiscard]] DividedRun divide_run(const RunResult& run, const std::string& by);

/// The cells with all of these values, each given as "emulate=profile.yaml"; "emulate=" selects
/// cells without one. Throws ConfigError for a setting that no cell has, and if no cell is left.
[[nodiscard]] RunResult cells_with(RunResult run, const std::vector<std::string>& values);

}  // namespace feedrate
