// SPDX-License-Identifier: Apache-2.0
// What compared cells are called, and which of them are limits to be shown apart. A value; any
// thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/compare.h"

namespace feedrate {

class ComparedNames {
 public:
  /// `runs` as in compare_runs.
  ComparedNames(std::span<const NamedRun> runs, const ComparisonRule& rule);

  /// The settings that tell the cells of all runs apart, in the baseline's order.
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }

  /// By those of them in which the cells it ranks among differ.
  [[nodiscard]] std::string name_of(const CellResult& cell) const;

  /// A limit, in a comparison with a baseline that has other cells.
  [[nodiscard]] bool is_apart(const CellResult& cell) const;

 private:
  std::vector<std::string> varying_;
  std::vector<std::string> varying_without_limits_;
  bool has_only_limits_;
};

}  // namespace feedrate
