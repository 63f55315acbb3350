// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/compare.h"

namespace feedrate {
namespace {

ComparedCell cell_with(double p_slower, Verdict verdict, std::string disturbed = "") {
  AgainstBaseline against;
  against.ratio = 0.9;
  against.verdict = verdict;
  against.disturbed = std::move(disturbed);
  against.p_slower = p_slower;
  ComparedCell cell;
  cell.against = {against};
  return cell;
}

bool is_first_a_regression(std::vector<ComparedCell> cells) {
  mark_regressions(cells, {});
  return cells.front().against.front()->is_regression;
}

// Rejected as a single cell, at 0.025; not as one of two, at 0.0125.
TEST(MarkRegressions, counts_no_cell_that_other_programs_disturbed) {
  const ComparedCell lost = cell_with(0.02, Verdict::kLose);
  EXPECT_TRUE(is_first_a_regression({lost}));
  EXPECT_FALSE(is_first_a_regression({lost, cell_with(0.9, Verdict::kUndecided)}));
  EXPECT_TRUE(is_first_a_regression({lost, cell_with(0.9, Verdict::kUndecided, "B")}));
}

}  // namespace
}  // namespace feedrate
