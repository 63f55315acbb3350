// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/report/compare_print.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

Settings loaded_by(std::int64_t number) { return {{"num_workers", number}}; }

RunResult run_of(std::vector<CellResult> cells) {
  RunResult run;
  run.cells = std::move(cells);
  return run;
}

/// The sample on another machine: slower by a fifth, one cell broken, one new.
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

RunResult third_run() {
  RunResult run = sample_run();
  run.environment.facts[0].value = "node9";
  run.environment.warnings.pop_back();
  run.cells[1].metrics = measured_cell(1, {}, 13200.0, 130.0).metrics;
  run.cells.pop_back();
  return run;
}

Comparison compare(const RunResult& a, const RunResult& b, const ComparisonRule& rule = {}) {
  const std::vector<NamedRun> runs{{"before", &a}, {"after", &b}};
  return compare_runs(runs, rule);
}

Comparison compare_cells(CellResult a, CellResult b, ComparisonRule rule = {}) {
  return compare(run_of({std::move(a)}), run_of({std::move(b)}), std::move(rule));
}

const AgainstBaseline& only(const Comparison& comparison) {
  return comparison.cells.at(0).against.at(0).value();
}

Comparison compare_three() {
  const RunResult before = sample_run(), after = other_run(), later = third_run();
  const std::vector<NamedRun> runs{{"before", &before}, {"after", &after}, {"later", &later}};
  return compare_runs(runs, {});
}

std::string printed(const Comparison& comparison, TableStyle style = TableStyle::kTerminal) {
  std::ostringstream out;
  print_comparison(out, comparison, style);
  return out.str();
}

TEST(CompareRuns, prints_as_committed) {
  expect_golden(printed(compare(sample_run(), other_run())), "tests/golden/report/compare.txt");
}

TEST(CompareRuns, prints_three_with_a_column_a_run_as_committed) {
  expect_golden(printed(compare_three()), "tests/golden/report/compare_three.txt");
}

TEST(CompareRuns, prints_markdown_as_committed) {
  expect_golden(printed(compare_three(), TableStyle::kMarkdown), "tests/golden/report/compare.md");
}

TEST(CompareRuns, leaves_columns_out_of_a_narrow_terminal_and_names_them) {
  std::ostringstream out;
  print_comparison(out, compare(sample_run(), other_run()), TableStyle::kTerminal, 100);
  const std::string text = out.str();
  EXPECT_NE(text.find("Not shown in 100 columns: loading_time B/A, A;"), std::string::npos) << text;
  const std::size_t rule = text.find("\n---") + 1;
  EXPECT_LE(text.find('\n', rule) - rule, 100U);
}

TEST(CompareRuns, wraps_a_table_of_many_runs_on_a_narrow_terminal) {
  const auto rule_width = [](std::size_t width) {
    std::ostringstream out;
    print_comparison(out, compare_three(), TableStyle::kTerminal, width);
    const std::string text = out.str();
    const std::size_t rule = text.find("\n---") + 1;
    return text.find('\n', rule) - rule;
  };
  const std::size_t whole = rule_width(0);
  EXPECT_LT(rule_width(whole - 5), whole - 4);
}

TEST(CompareRuns, says_whose_loader_each_run_is_of) {
  RunResult before = sample_run(), after = sample_run();
  for (CellResult& cell : before.cells) cell.settings.push_back({"engine", std::string("native")});
  for (CellResult& cell : after.cells) cell.settings.push_back({"engine", std::string("torch")});
  after.simulated = false;
  const std::string text = printed(compare(before, after));
  EXPECT_TRUE(text.starts_with("A: before (rates of feedrate's native loader; simulated device"))
      << text;
  EXPECT_NE(text.find("\nB: after (rates of PyTorch's DataLoader)\n"), std::string::npos) << text;
}

TEST(CompareRuns, writes_csv_as_committed) {
  std::ostringstream out;
  write_comparison_csv(out, compare_three());
  expect_golden(out.str(), "tests/golden/report/compare.csv");
}

TEST(CompareRuns, writes_json_as_committed) {
  std::ostringstream out;
  write_comparison_json(out, compare_three());
  expect_golden(out.str(), "tests/golden/report/compare.json");
}

// The largest standard error between two runs, 2 %: a half width of 3.92 %.
constexpr double kBetweenRuns = 0.02;

// Half widths of 3 % and 4 % make 5 %, with the one between runs 6.35 %: log 0.8 ± 0.0635. The
// number of starts is unknown.
TEST(CompareRuns, adds_relative_half_widths_in_quadrature) {
  const Comparison comparison =
      compare_cells(measured_cell(0, loaded_by(1), 1000.0, 30.0),
                    measured_cell(0, loaded_by(1), 800.0, 32.0), {.threshold = 0.1});
  const AgainstBaseline& against = only(comparison);
  EXPECT_DOUBLE_EQ(against.ratio, 0.8);
  const double half = std::hypot(0.05, student_t(0.95, 1e9) * kBetweenRuns);
  EXPECT_NEAR(against.ratio_interval->low, 0.8 * std::exp(-half), 1e-6);
  EXPECT_NEAR(against.ratio_interval->high, 0.8 * std::exp(half), 1e-6);
  EXPECT_EQ(against.verdict, Verdict::kLose);
  EXPECT_TRUE(against.is_regression);
}

CellResult with_starts(CellResult cell, std::vector<double> rates) {
  for (const double rate : rates) cell.repeats.push_back({{{"samples_per_second", rate}}, {}});
  cell.metrics.push_back({"repeats", static_cast<double>(rates.size())});
  return cell;
}

// Both have s / sqrt(n) = 1 % of their mean and 2 degrees of freedom: 4 together, t = 2.776445,
// and with 0.02 between runs, 36: the half width is 2.028094 · sqrt(2 · 0.01² + 0.02²).
TEST(CompareRuns, takes_the_interval_from_the_starts_where_they_are_on_record) {
  const double step = std::sqrt(3.0);  // {-1, 0, 1} · step has the deviation step.
  const CellResult a =
      with_starts(measured_cell(0, loaded_by(1), 100.0), {100 - step, 100, 100 + step});
  const CellResult b =
      with_starts(measured_cell(0, loaded_by(1), 200.0), {200 - 2 * step, 200, 200 + 2 * step});
  const AgainstBaseline against = only(compare_cells(a, b));
  EXPECT_NEAR(std::log(against.ratio_interval->high / 2.0), 0.0496780, 1e-6);
  EXPECT_EQ(against.verdict, Verdict::kWin);
}

TEST(CompareRuns, gives_the_same_interval_from_the_csv_that_has_no_starts) {
  const double half = student_t(0.95, 2.0) * 1.0;
  CellResult a = measured_cell(0, loaded_by(1), 100.0, half);
  CellResult b = measured_cell(0, loaded_by(1), 200.0, 2.0 * half);
  for (CellResult* cell : {&a, &b}) cell->metrics.push_back({"repeats", 3.0});
  const AgainstBaseline against = only(compare_cells(a, b));
  EXPECT_NEAR(std::log(against.ratio_interval->high / 2.0), 0.0496780, 1e-6);
}

TEST(CompareRuns, puts_the_largest_effect_first_whatever_its_sign) {
  const auto run_with = [](double one, double two, double three) {
    return run_of({measured_cell(0, loaded_by(1), one), measured_cell(1, loaded_by(2), two),
                   measured_cell(2, loaded_by(3), three)});
  };
  const Comparison comparison = compare(run_with(10, 10, 10), run_with(11, 5, 15));
  EXPECT_EQ(comparison.cells[0].name, "num_workers=2");
  EXPECT_EQ(comparison.cells[1].name, "num_workers=3");
  EXPECT_EQ(comparison.cells[2].name, "num_workers=1");
}

TEST(CompareRuns, takes_the_geometric_mean_over_cells) {
  const Comparison comparison = compare(
      run_of({measured_cell(0, loaded_by(1), 10, 0.3), measured_cell(1, loaded_by(2), 10, 0.4)}),
      run_of(
          {measured_cell(0, loaded_by(1), 20, 1e-12), measured_cell(1, loaded_by(2), 5, 1e-12)}));
  EXPECT_DOUBLE_EQ(*comparison.runs[0].mean_ratio, 1.0);
  // Half widths of 3 % and 4 % of two cells: 5 % / 2.
  EXPECT_NEAR(comparison.runs[0].mean_ratio_interval->high, std::exp(0.025), 1e-9);
}

Settings on(const char* device, std::int64_t number) {
  return {{"num_workers", number}, {"device", std::string(device)}};
}

Settings trainer(const char* word, std::int64_t number) {
  return {{"trainer", std::string(word)}, {"num_workers", number}};
}

RunResult run_with_limit(double rate, double limit) {
  return run_of({measured_cell(0, trainer("discard", 2), limit, 0.01 * limit),
                 measured_cell(1, trainer("burn", 1), rate, 0.01 * rate),
                 measured_cell(2, trainer("burn", 2), rate, 0.01 * rate)});
}

TEST(CompareRuns, leaves_limits_out_of_the_mean_and_the_counts) {
  const Comparison comparison = compare(run_with_limit(10, 50), run_with_limit(12, 100));
  EXPECT_DOUBLE_EQ(*comparison.runs[0].mean_ratio, 1.2);
  EXPECT_TRUE(comparison.runs[0].mean_ratio_interval.has_value());
  const std::string text = printed(comparison);
  EXPECT_NE(text.find(". 2 WIN.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("these 2 cells"), std::string::npos) << text;
  EXPECT_NE(text.find("in 2 cells and 1 reference cell."), std::string::npos) << text;
}

TEST(CompareRuns, shows_limits_below_the_cells_and_names_what_they_are_by_themselves) {
  const Comparison comparison = compare(run_with_limit(10, 50), run_with_limit(12, 100));
  ASSERT_EQ(comparison.cells.size(), 3U);
  EXPECT_EQ(comparison.cells[0].name, "num_workers=1");
  EXPECT_EQ(comparison.cells[2].name, "trainer=discard num_workers=2");
  EXPECT_TRUE(comparison.cells[2].is_limit);
  const std::string text = printed(comparison);
  EXPECT_LT(text.find("Reference cells, with a mock"), text.find("trainer=discard"));
  EXPECT_GT(text.find("Reference cells, with a mock"), text.find("num_workers=1"));
}

TEST(CompareRuns, calls_a_slower_limit_a_regression) {
  EXPECT_TRUE(compare(run_with_limit(10, 50), run_with_limit(10, 25)).has_regression());
}

TEST(CompareRuns, takes_limits_for_cells_where_the_baseline_has_nothing_else) {
  const RunResult a = run_of({measured_cell(0, trainer("discard", 1), 10.0),
                              measured_cell(1, trainer("discard", 2), 20.0)});
  const Comparison comparison = compare(a, a);
  EXPECT_EQ(*comparison.runs[0].mean_ratio, 1.0);
  EXPECT_EQ(printed(comparison).find("Reference cells"), std::string::npos);
}

TEST(CompareRuns, matches_cells_of_other_devices_and_says_so) {
  const Comparison comparison = compare_cells(measured_cell(0, on("cuda:0", 1), 10.0),
                                              measured_cell(0, on("sim:a100-pcie4", 1), 12.0));
  EXPECT_EQ(comparison.cells.size(), 1U);
  ASSERT_EQ(comparison.runs[0].ignored.size(), 1U);
  EXPECT_EQ(comparison.runs[0].ignored[0].name, "device");
}

TEST(CompareRuns, matches_devices_by_name_where_a_run_has_several) {
  const Comparison comparison = compare(
      run_of({measured_cell(0, on("cuda:0", 1), 10.0), measured_cell(1, on("cuda:1", 1), 11.0)}),
      run_of({measured_cell(0, on("cuda:1", 1), 22.0)}));
  ASSERT_EQ(comparison.cells.size(), 1U);
  EXPECT_EQ(only(comparison).ratio, 2.0);
}

TEST(CompareRuns, leaves_out_the_settings_it_is_told_to_ignore) {
  const Comparison comparison = compare_cells(
      measured_cell(0, {{"format", std::string("lmdb")}}, 10.0),
      measured_cell(0, {{"format", std::string("tar")}}, 5.0), {.ignored = {"format"}});
  EXPECT_EQ(comparison.cells.size(), 1U);
  EXPECT_EQ(comparison.runs[0].ignored[0].b, "tar");
}

TEST(CompareRuns, leaves_empty_what_one_of_several_runs_has_not_measured) {
  const RunResult a =
      run_of({measured_cell(0, loaded_by(1), 10.0), measured_cell(1, loaded_by(2), 10.0)});
  const RunResult b = run_of({measured_cell(0, loaded_by(2), 10.0)});
  const RunResult c = run_of({measured_cell(0, loaded_by(1), 20.0)});
  const std::vector<NamedRun> runs{{"a", &a}, {"b", &b}, {"c", &c}};
  const Comparison comparison = compare_runs(runs, {});
  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_FALSE(comparison.cells[0].against[0]);
  EXPECT_EQ(comparison.cells[0].against[1]->ratio, 2.0);
  EXPECT_EQ(comparison.cells[1].against[0]->ratio, 1.0);
  EXPECT_FALSE(comparison.cells[1].against[1]);
}

TEST(CompareRuns, gives_no_verdict_without_an_interval) {
  EXPECT_EQ(only(compare_cells(measured_cell(0, loaded_by(1), 10.0),
                               measured_cell(0, loaded_by(1), 20.0)))
                .verdict,
            Verdict::kUndecided);
}

TEST(CompareRuns, calls_nothing_a_regression_within_the_threshold) {
  const Comparison comparison = compare(run_of({measured_cell(0, loaded_by(1), 1000.0, 10.0)}),
                                        run_of({measured_cell(0, loaded_by(1), 960.0, 10.0)}));
  EXPECT_FALSE(comparison.has_regression());
}

TEST(CompareRuns, calls_nothing_a_regression_that_may_be_noise) {
  const Comparison comparison = compare(run_of({measured_cell(0, loaded_by(1), 1000.0, 200.0)}),
                                        run_of({measured_cell(0, loaded_by(1), 900.0, 200.0)}));
  EXPECT_FALSE(comparison.has_regression());
}

// Half widths of 5 % each make 7 %, so a loss of 10 % has p of about 0.01 with a tolerance of 2 %.
// A single cell, with the error between two runs, has twice that.
TEST(CompareRuns, calls_one_of_many_a_regression_only_where_chance_does_not_explain_it) {
  const auto run_with = [](double rate, std::int64_t cells) {
    RunResult run = run_of({measured_cell(0, loaded_by(0), rate, 0.05 * rate)});
    for (std::int64_t i = 1; i < cells; ++i) {
      run.cells.push_back(measured_cell(static_cast<std::size_t>(i), loaded_by(i), 100.0, 5.0));
    }
    return run;
  };
  const Comparison alone = compare(run_with(100.0, 1), run_with(90.0, 1));
  EXPECT_NEAR(only(alone).p_slower.value(), 0.0195, 1e-4);
  EXPECT_TRUE(alone.has_regression());
  const Comparison of_many = compare(run_with(100.0, 50), run_with(90.0, 50));
  EXPECT_EQ(only(of_many).verdict, Verdict::kLose);
  EXPECT_FALSE(of_many.has_regression());
}

TEST(CompareRuns, calls_nothing_a_regression_that_is_not_shown_as_without_an_interval) {
  const Comparison comparison = compare(run_of({measured_cell(0, loaded_by(1), 1000.0, 10.0)}),
                                        run_of({measured_cell(0, loaded_by(1), 500.0)}));
  EXPECT_EQ(only(comparison).verdict, Verdict::kUndecided);
  EXPECT_FALSE(comparison.has_regression());
  EXPECT_NE(printed(comparison).find("1 of which have no interval"), std::string::npos);
}

CellResult disturbed(CellResult cell) {
  for (const auto& [tag, value] : std::vector<Metric>{
           {"cpus", 2.0}, {"foreign_cpu", 0.9}, {"disturbed", 1.0}, {"repeats", 3.0}}) {
    cell.metrics.push_back({tag, value});
  }
  return cell;
}

TEST(CompareRuns, gives_no_verdict_where_other_programs_disturbed_either) {
  const CellResult fast = measured_cell(0, loaded_by(1), 1000.0, 10.0);
  const CellResult slow = measured_cell(0, loaded_by(1), 500.0, 5.0);
  EXPECT_TRUE(compare_cells(fast, slow).has_regression());
  for (const Comparison& comparison :
       {compare_cells(fast, disturbed(slow)), compare_cells(disturbed(slow), fast)}) {
    EXPECT_EQ(only(comparison).verdict, Verdict::kUndecided);
    EXPECT_FALSE(comparison.has_regression());
  }
  EXPECT_EQ(only(compare_cells(fast, disturbed(slow))).disturbed, "B");
  EXPECT_EQ(only(compare_cells(disturbed(fast), disturbed(slow))).disturbed, "A and B");
  const std::string text = printed(compare_cells(fast, disturbed(slow)));
  EXPECT_NE(text.find("Other programs used 0.90 of 2 CPUs"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of which were disturbed"), std::string::npos) << text;
}

RunResult run_with_rates(std::vector<double> rates) {
  RunResult run;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    run.cells.push_back(
        measured_cell(i, loaded_by(static_cast<std::int64_t>(i)), rates[i], 0.01 * rates[i]));
  }
  return run;
}

TEST(CompareRuns, says_that_all_cells_moved_together_and_widens_their_intervals_by_it) {
  const RunResult a = run_with_rates({100, 200, 300, 400});
  const Comparison comparison = compare(a, run_with_rates({97, 194, 291, 388}));
  EXPECT_NE(printed(comparison).find("moved together, by -3.0 %"), std::string::npos);
  EXPECT_EQ(comparison.runs[0].between_runs, kBetweenRuns);
  EXPECT_EQ(only(comparison).verdict, Verdict::kUndecided) << "a machine does that by itself";
  EXPECT_EQ(only(compare(a, run_with_rates({90, 180, 270, 360}))).verdict, Verdict::kLose);
}

TEST(CompareRuns, widens_nothing_where_most_cells_stay_as_they_were) {
  const Comparison comparison =
      compare(run_with_rates({100, 200, 300, 400}), run_with_rates({100, 200, 300, 380}));
  EXPECT_EQ(comparison.runs[0].between_runs, 0.0);
  EXPECT_EQ(only(comparison).verdict, Verdict::kLose);
  EXPECT_EQ(printed(comparison).find("moved together"), std::string::npos);
}

TEST(CompareRuns, calls_a_cell_that_fails_now_a_regression) {
  RunResult b = run_of({measured_cell(0, loaded_by(1), 1000.0)});
  b.cells[0].outcome = Outcome::kFailed;
  const Comparison comparison = compare(run_of({measured_cell(0, loaded_by(1), 1000.0)}), b);
  EXPECT_TRUE(comparison.has_regression());
  EXPECT_FALSE(compare(b, run_of({measured_cell(0, loaded_by(1), 1000.0)})).has_regression());
}

TEST(CompareRuns, matches_by_the_settings_both_have_whatever_the_order) {
  const Comparison comparison = compare(
      run_of(
          {measured_cell(0, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{5}}}, 10.0),
           measured_cell(1, {{"num_workers", std::int64_t{2}}, {"seed", std::int64_t{5}}}, 20.0)}),
      run_of({measured_cell(0, loaded_by(2), 40.0), measured_cell(1, loaded_by(1), 10.0)}));
  ASSERT_EQ(comparison.cells.size(), 2U);
  EXPECT_EQ(comparison.cells[0].against[0]->ratio, 2.0);
  EXPECT_EQ(comparison.cells[1].against[0]->ratio, 1.0);
  EXPECT_EQ(comparison.runs[0].settings_only_in_baseline, std::vector<std::string>{"seed"});
}

TEST(CompareRuns, matches_a_number_however_it_was_stored) {
  const Comparison comparison =
      compare(run_of({measured_cell(0, {{"step_ms", 20.0}}, 10.0)}),
              run_of({measured_cell(0, {{"step_ms", std::int64_t{20}}}, 10.0)}));
  EXPECT_EQ(comparison.cells.size(), 1U);
}

TEST(CompareRuns, compares_no_cells_that_the_common_settings_cannot_distinguish) {
  const Comparison comparison = compare(
      run_of({measured_cell(0, loaded_by(1), 10.0)}),
      run_of(
          {measured_cell(0, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{1}}}, 10.0),
           measured_cell(1, {{"num_workers", std::int64_t{1}}, {"seed", std::int64_t{2}}}, 5.0)}));
  EXPECT_TRUE(comparison.cells.empty());
  EXPECT_EQ(comparison.runs[0].ambiguous.size(), 1U);
}

// PyTorch's loader has no hdf5_reads: "–" in all its cells.
TEST(CompareRuns, matches_a_setting_that_has_no_meaning_in_the_other_run_with_anything) {
  const auto settings = [](std::int64_t workers, const char* reads) {
    return Settings{{"num_workers", workers}, {"hdf5_reads", std::string(reads)}};
  };
  const RunResult native = run_of({measured_cell(0, settings(0, "direct"), 10.0),
                                   measured_cell(1, settings(2, "direct"), 20.0)});
  const RunResult torch =
      run_of({measured_cell(0, settings(0, ""), 5.0), measured_cell(1, settings(2, ""), 20.0)});
  const Comparison comparison = compare(native, torch);
  EXPECT_EQ(comparison.cells.size(), 2U);
  EXPECT_EQ(comparison.runs[0].settings_only_in_baseline, std::vector<std::string>{"hdf5_reads"});
  EXPECT_TRUE(comparison.runs[0].settings_only_here.empty());
  EXPECT_EQ(compare(torch, native).cells.size(), 2U);
}

TEST(CompareRuns, lists_cells_that_have_no_partner_and_the_constant_that_explains_it) {
  const Comparison comparison = compare(run_of({measured_cell(0, loaded_by(1), 10.0)}),
                                        run_of({measured_cell(0, loaded_by(2), 10.0)}));
  EXPECT_EQ(comparison.runs[0].unmatched_baseline.size(), 1U);
  EXPECT_EQ(comparison.runs[0].unmatched.size(), 1U);
  ASSERT_EQ(comparison.runs[0].constants.size(), 1U);
  EXPECT_EQ(comparison.runs[0].constants[0].name, "num_workers");
  EXPECT_NE(printed(comparison).find("No cell was measured in both"), std::string::npos);
}

TEST(CompareRuns, prints_only_the_beginning_of_a_long_list) {
  RunResult many;
  for (std::int64_t i = 0; i < 25; ++i) {
    many.cells.push_back(measured_cell(static_cast<std::size_t>(i), loaded_by(i), 10.0));
  }
  const std::string text = printed(compare(many, run_of({measured_cell(0, loaded_by(0), 10.0)})));
  EXPECT_NE(text.find("In A, not in B (24):"), std::string::npos);
  EXPECT_NE(text.find("  and 4 more\n"), std::string::npos);
  EXPECT_EQ(text.find("num_workers=24"), std::string::npos);
}

TEST(CompareRuns, survives_runs_without_cells) {
  EXPECT_FALSE(compare(RunResult{}, RunResult{}).has_regression());
}

}  // namespace
}  // namespace feedrate
