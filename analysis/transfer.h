// SPDX-License-Identifier: Apache-2.0
// Whether what one sweep says holds in another: A and B are sweeps of one plan, measured by two
// engines, on two machines, or before and after a change. Settings chosen with A transfer to B
// where both rank the cells alike. Any thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/match.h"
#include "analysis/transfer_figures.h"
#include "core/result.h"

namespace feedrate {

/// One cell that was measured in both.
struct TransferredCell {
  std::vector<std::string> settings;  ///< texts of those that vary
  double step_time_a = 0.0;           ///< not a number where it is missing
  double step_time_b = 0.0;
  double error = 0.0;  ///< step_time_a / step_time_b - 1
  double rate_a = 0.0;
  double rate_b = 0.0;
  double rank_a = 0.0;  ///< 1 is the fastest; equal rates share the mean of their places
  double rank_b = 0.0;
  bool is_best_in_a = false;
  bool is_proposed_by_a = false;
  bool is_best_in_b = false;
};

struct Transfer {
  std::string label_a;
  std::string label_b;
  std::vector<std::string> varying;        ///< settings that vary
  std::vector<TransferredCell> cells;      ///< in A's order
  TransferFigures figures;                 ///< only where there are cells
  std::vector<std::string> disagreements;  ///< a sentence each, as figures.disagreements
  std::vector<Difference> not_measured;    ///< in both, but not ok in one: the two outcomes
  std::size_t skipped_in_both = 0;
  std::vector<std::string> unmatched_a;
  std::vector<std::string> unmatched_b;
  std::vector<std::string> ambiguous;  ///< several cells are equal in the settings matched by
  std::vector<std::string> limits;     ///< measured with a mock, and so nothing to choose
  std::vector<std::string> undivided;  ///< of one result that was divided: what is in neither half
  std::vector<Difference> ignored;     ///< settings that were not matched by, with their values
  std::string simulation_a;            ///< empty where A was measured on a real device
  std::string simulation_b;
};

struct TransferOptions {
  /// Not matched by, beside `engine` and all that is constant in A and another constant in B.
  std::vector<std::string> ignored = {};
  std::string label_a = "A";
  std::string label_b = "B";
  Bootstrap bootstrap = {};
};

/// Matches cells by the settings that both have. Limits (analysis/best.h) are left out, unless
/// there is nothing else.
[[nodiscard]] Transfer transfer_between(const RunResult& a, const RunResult& b,
                                        const TransferOptions& options = {});

/// One result, divided by the two values of a setting.
struct DividedRun {
  RunResult a;
  RunResult b;
  std::string value_a;
  std::string value_b;
  std::vector<std::string> undivided;  ///< other values with their cells, and cells without one
};

/// `by` is "engine", where that has two values, the first of the plan's being A's, or
/// "engine=native,torch". Throws ConfigError where there are not two values, or no cell has one.
[[nodiscard]] DividedRun divide_run(const RunResult& run, const std::string& by);

/// The cells that have all of these values, each given as "emulate=profile.yaml"; "emulate=" is
/// that of cells without one. Throws ConfigError for a setting that no cell has, and where no cell
/// is left.
[[nodiscard]] RunResult cells_with(RunResult run, const std::vector<std::string>& values);

}  // namespace feedrate
