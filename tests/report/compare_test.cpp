#include "report/compare.h"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/report/golden.h"
#include "tests/report/sample_run.h"

namespace feedrate {
namespace {

Settings workers(std::int64_t number) { return {{"num_workers", number}}; }

RunResult run_of(std::vector<CellResult> cells) {
  RunResult run;
  run.cells = std::move(cells);
  return run;
}

/// The sample, run again elsewhere: slower by a fifth, one cell broken, one new.
RunResult other_run() {
  RunResult run = sample_run();
  run.simulated = false;
  run.environment.facts = {
      {"host_name", "node8"}, {"cpu_model", "Some CPU | 3 GHz"}, {"gpu", "H200"}};
  CellResult slower = measured_cell(0, run.cells[0].settings, 9876.0, 98.76);
  slower.metrics.push_back({"loading_time", 0.0104});
  run.cells[0] = slower;
  run.cells[2].outcome = Outcome::kFailed;
  run.cells[2].reason = "broken.png: cannot be decoded";
  run.cells[5].settings[0].value = std::string("hdf5");
  return run;
}

std::string printed(const Comparison& comparison) {
  std::ostringstream out;
  print_comparison(out, comparison);
  return out.str();
}

TEST(CompareRuns, prints_as_committed) {
  expect_golden(printed(compare_runs(sample_run(), other_run(), 0.05)),
                "tests/golden/report/compare.txt");
}

// Half widths of 3 % and 4 % make 5 %: 0.8 * (1 ± 0.05).
TEST(CompareRuns, adds_relative_half_widths_in_quadrature) {
  const Comparison comparison =
      compare_runs(run_of({measured_cell(0, workers(1), 1000.0, 30.0)}),
                   run_of({measured_cell(0, workers(1), 800.0, 32.0)}), 0.1);
  ASSERT_EQ(comparison.cells.size(), 1U);
  const ComparedCell& cell = comparison.cells[0];
  EXPECT_DOUBLE_EQ(cell.ratio, 0.8);
  EXPECT_DOUBLE_EQ(cell.ratio_interval->low, 0.76);
  EXPECT_DOUBLE_EQ(cell.ratio_interval->high, 0.84);
  EXPECT_TRUE(cell.is_regression);
}

TEST(CompareRuns, calls_nothing_a_regression_within_the_threshold) {
  const Comparison comparison =
      compare_runs(run_of({measured_cell(0, workers(1), 1000.0, 10.0)}),
                   run_of({measured_cell(0, workers(1), 960.0, 10.0)}), 0.05);
  EXPECT_FALSE(comparison.has_regression());
}

TEST(CompareRuns, calls_nothing_a_regression_that_may_be_noise) {
  const Comparison comparison =
      compare_runs(run_of({measured_cell(0, workers(1), 1000.0, 200.0)}),
                   run_of({measured_cell(0, workers(1), 900.0, 200.0)}), 0.05);
  EXPECT_FALSE(comparison.has_regression());
}

TEST(CompareRuns, goes_by_the_ratio_alone_where_an_interval_is_missing) {
  const Comparison comparison = compare_runs(run_of({measured_cell(0, workers(1), 1000.0, 200.0)}),
                                             run_of({measured_cell(0, workers(1), 900.0)}), 0.05);
  EXPECT_TRUE(comparison.has_regression());
}

TEST(CompareRuns, calls_a_cell_that_fails_now_a_regression) {
  RunResult b = run_of({measured_cell(0, workers(1), 1000.0)});
  b.cells[0].outcome = Outcome::kFailed;
  const Comparison comparison =
      compare_runs(run_of({measured_cell(0, workers(1), 1000.0)}), b, 0.05);
  EXPECT_TRUE(comparison.has_regression());
  EXPECT_FALSE(
      compare_runs(b, run_of({measured_cell(0, workers(1), 1000.0)}), 0.05).has_regression());
}

TEST(CompareRuns, matches_by_the_settings_both_have_whatever_the_order) {
  const Comparison comparison = compare_runs(
      run_of(
          {measured_cell(0, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{5}}}, 10.0),
           measured_cell(1, {{"num_workers", std::int64_t{2}}, {"seed", std::int64_t{5}}}, 20.0)}),
      run_of({measured_cell(0, workers(2), 40.0), measured_cell(1, workers(1), 10.0)}), 0.05);
  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_EQ(comparison.cells[0].ratio, 1.0);
  EXPECT_EQ(comparison.cells[1].ratio, 2.0);
  EXPECT_EQ(comparison.settings_only_in_a, std::vector<std::string>{"seed"});
}

TEST(CompareRuns, matches_a_number_however_it_was_stored) {
  const Comparison comparison =
      compare_runs(run_of({measured_cell(0, {{"step_ms", 20.0}}, 10.0)}),
                   run_of({measured_cell(0, {{"step_ms", std::int64_t{20}}}, 10.0)}), 0.05);
  EXPECT_EQ(comparison.cells.size(), 1U);
}

TEST(CompareRuns, compares_no_cells_that_the_common_settings_cannot_tell_apart) {
  const Comparison comparison = compare_runs(
      run_of({measured_cell(0, workers(1), 10.0)}),
      run_of(
          {measured_cell(0, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{1}}}, 10.0),
           measured_cell(1, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{2}}}, 5.0)}),
      0.05);
  EXPECT_TRUE(comparison.cells.empty());
  EXPECT_EQ(comparison.ambiguous.size(), 1U);
}

TEST(CompareRuns, lists_cells_that_have_no_partner_and_the_constant_that_explains_it) {
  const Comparison comparison = compare_runs(run_of({measured_cell(0, workers(1), 10.0)}),
                                             run_of({measured_cell(0, workers(2), 10.0)}), 0.05);
  EXPECT_EQ(comparison.unmatched_a.size(), 1U);
  EXPECT_EQ(comparison.unmatched_b.size(), 1U);
  ASSERT_EQ(comparison.constants.size(), 1U);
  EXPECT_EQ(comparison.constants[0].name, "num_workers");
  EXPECT_NE(printed(comparison).find("No cell was measured in both"), std::string::npos);
}

TEST(CompareRuns, survives_runs_without_cells) {
  EXPECT_FALSE(compare_runs(RunResult{}, RunResult{}, 0.05).has_regression());
}

}  // namespace
}  // namespace feedrate
