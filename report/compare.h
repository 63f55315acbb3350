// Two results side by side: B against A, cell by cell. Any thread.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "report/match.h"
#include "report/result.h"

namespace feedrate {

/// One cell that was measured in both.
struct ComparedCell {
  std::string name;  ///< its settings, as far as they vary
  double rate_a = 0.0;
  double rate_b = 0.0;
  double ratio = 0.0;  ///< of samples_per_second, B / A
  /// 95 %, where both cells have an interval. To first order the relative half widths of
  /// independent factors add in quadrature (GUM, JCGM 100:2008, 5.1.6).
  std::optional<Interval> ratio_interval;
  std::optional<double> loading_time_ratio;  ///< B / A
  bool is_regression = false;
};

struct Comparison {
  double threshold = 0.0;
  std::vector<ComparedCell> cells;       ///< in A's order
  std::vector<Difference> not_compared;  ///< in both, but measured in one only: the two outcomes
  std::vector<std::string> broken;       ///< those of them that were ok in A and failed in B
  std::vector<std::string> unmatched_a;
  std::vector<std::string> unmatched_b;
  std::vector<std::string> ambiguous;  ///< several cells are equal in the settings common to both
  std::vector<std::string> settings_only_in_a;
  std::vector<std::string> settings_only_in_b;
  std::vector<Difference> constants;    ///< settings of one value in A and another one in B
  std::vector<Difference> environment;  ///< facts that differ; none where a CSV was read
  std::string simulation_a;             ///< empty where A was measured on a real device
  std::string simulation_b;

  /// A cell regresses when its ratio is below 1 - threshold and the interval, where there is one,
  /// ends below 1; and when it was ok in A and failed in B.
  [[nodiscard]] bool has_regression() const;
};

/// Matches cells by the settings whose names both results have. REQUIRES: 0 <= threshold < 1
[[nodiscard]] Comparison compare_runs(const RunResult& a, const RunResult& b, double threshold);

void print_comparison(std::ostream& out, const Comparison& comparison);

}  // namespace feedrate
