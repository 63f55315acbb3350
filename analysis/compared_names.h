// SPDX-License-Identifier: Apache-2.0
// Names of compared cells, and which of them are limits listed separately. A value; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/compare.h"

namespace feedrate {

class ComparedNames {
 public:
  /// `runs` and `rule` as for compare_runs().
  ComparedNames(std::span<const NamedRun> runs, const ComparisonRule& rule);

  /// The settings that vary among the cells of all runs, in the baseline's order.
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }

  /// Without the settings that vary only among limits, unless `cell` is one.
  [[nodiscard]] std::string name_of(const CellResult& cell) const;

  /// Whether the cell is a limit and the baseline has other cells.
  [[nodiscard]] bool is_separate_limit(const CellResult& cell) const;

 private:
  std::vector<std::string> varying_;
  std::vector<std::string> varying_without_limits_;
  bool has_only_limits_;
};

}  // namespace feedrate
