// SPDX-License-Identifier: Apache-2.0
#include "analysis/watched_cells.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/answer.h"
#include "analysis/compare.h"
#include "analysis/limits.h"
#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The same script untuned, with one loader.
RunResult untuned_run() {
  RunResult run = watched_run();
  run.cells.resize(1);
  LoaderHistory& loader = run.history->loaders.front();
  loader.segments.resize(1);
  run.history->loaders.resize(1);
  return run;
}

RunResult with_one_loader(RunResult run) {
  run.cells.pop_back();
  run.history->loaders.pop_back();
  return run;
}

Comparison compare(const RunResult& a, const RunResult& b, const ComparisonRule& rule = {}) {
  return compare_runs(std::vector<NamedRun>{{"before", &a}, {"after", &b}}, rule);
}

TEST(WatchedCells, are_those_that_each_loader_ended_with) {
  const RunResult run = watched_run();
  EXPECT_THAT(last_cells(run), ElementsAre(&run.cells[2], &run.cells[3]));
  EXPECT_THAT(kept_cells(run), ElementsAre(&run.cells[2]));
  EXPECT_THAT(last_cells(sample_run()), IsEmpty());
}

TEST(WatchedCells, fall_back_to_the_last_measured_segment) {
  RunResult run = watched_run();
  run.cells[2].outcome = Outcome::kFailed;
  EXPECT_THAT(last_cells(run), ElementsAre(&run.cells[1], &run.cells[3]));
  EXPECT_THAT(kept_cells(run), IsEmpty());
  for (std::size_t i = 0; i < 2; ++i) run.cells[i].outcome = Outcome::kFailed;
  EXPECT_THAT(last_cells(run), ElementsAre(&run.cells[3]));
}

TEST(WatchedCells, are_what_is_proposed_where_it_was_tuned) {
  const RunResult tuned = watched_run();
  EXPECT_THAT(proposed_cells(tuned), ElementsAre(&tuned.cells[2])) << "not the fastest loader";
  EXPECT_THAT(proposed_cells(untuned_run()), IsEmpty());
}

TEST(WatchedCells, are_answered_with_the_recorded_verdict) {
  std::ostringstream text;
  print_answer(text, watched_run());
  EXPECT_EQ(text.str(), "\n300 steps of train.py:42\nINPUT-BOUND\ntuned: num_workers=0 -> 4\n");
}

TEST(WatchedCells, keep_their_verdict_where_no_limit_was_measured) {
  RunResult run = watched_run();
  judge_by_limits(run);
  EXPECT_EQ(run.cells[0].bottleneck, "decode CPU");
  EXPECT_NE(find_metric(run.cells[0].metrics, "stall"), nullptr);
}

// This holds even if an edit has moved the line.
TEST(WatchedRuns, are_compared_whatever_the_settings_of_the_loader_are) {
  const RunResult before = untuned_run();
  RunResult after = with_one_loader(watched_run());
  for (CellResult& cell : after.cells) cell.settings[1].value = std::string("/home/me/train.py:44");
  for (HistorySegment& segment : after.history->loaders.front().segments) {
    segment.settings[1].value = std::string("/home/me/train.py:44");
  }
  const Comparison comparison = compare(before, after);
  ASSERT_THAT(comparison.cells, SizeIs(1));
  const AgainstBaseline& against = comparison.cells.front().against.front().value();
  EXPECT_NEAR(against.ratio, 1254.0 / 426.0, 1e-9);
  EXPECT_EQ(against.verdict, Verdict::kWin);
  const std::vector<Difference>& ignored = comparison.runs.front().ignored;
  ASSERT_THAT(ignored, SizeIs(2));
  EXPECT_EQ(ignored[0].name, "site");
  EXPECT_EQ(ignored[1].name, "num_workers");
  EXPECT_EQ(ignored[1].a, "0");
  EXPECT_EQ(ignored[1].b, "4");
}

TEST(WatchedRuns, of_several_loaders_are_compared_loader_by_loader) {
  RunResult before = watched_run();
  before.history->loaders.front().segments.resize(1);
  const Comparison comparison = compare(before, watched_run());
  ASSERT_THAT(comparison.cells, SizeIs(2));
  EXPECT_EQ(comparison.cells[0].name, "site=/home/me/train.py:42");
  EXPECT_EQ(comparison.cells[1].against.front()->ratio, 1.0);
}

TEST(WatchedRuns, with_other_batches_have_nothing_in_common) {
  RunResult other = with_one_loader(watched_run());
  for (CellResult& cell : other.cells) cell.settings[2].value = std::int64_t{128};
  for (HistorySegment& segment : other.history->loaders.front().segments) {
    segment.settings[2].value = std::int64_t{128};
  }
  EXPECT_FALSE(compare(untuned_run(), other).has_common_cells(0));
}

TEST(WatchedRuns, against_a_sweep_are_compared_cell_by_cell) {
  RunResult sweep = watched_run();
  sweep.history.reset();
  EXPECT_THAT(compare(sweep, watched_run()).cells, SizeIs(4));
}

}  // namespace
}  // namespace feedrate
