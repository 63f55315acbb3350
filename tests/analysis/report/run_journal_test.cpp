// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/run_journal.h"

#include <fstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/host/durable_file.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

CellResult after_another_start(double rate) {
  CellResult cell = sample_run().cells[0];
  cell.repeats.push_back({{{"samples_per_second", rate}}, {{"step_time", {0.25, 0.5}}}});
  cell.metrics[0].value = rate;
  return cell;
}

CellResult after_a_failure() {
  CellResult cell = sample_run().cells[0];
  cell.outcome = Outcome::kFailed;
  cell.reason = "a.tar: damaged";
  return cell;
}

RunResult read_back(const fs::path& journal) {
  RunResult run = sample_run();
  JournalSnapshot(journal).add_to(run);
  return run;
}

std::string error_of(const fs::path& journal) {
  try {
    static_cast<void>(read_back(journal));
  } catch (const FormatError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RunJournal, brings_a_measured_start_back) {
  const fs::path journal = fresh_folder() / "run.journal";
  append_to_journal(journal, after_another_start(5.0));
  const CellResult cell = read_back(journal).cells[0];
  ASSERT_EQ(cell.repeats.size(), 3U);
  EXPECT_EQ(cell.repeats[2].series.at("step_time"), (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(cell.metrics[0].value, 5.0);
  EXPECT_EQ(cell.outcome, Outcome::kOk);
}

TEST(RunJournal, brings_a_failure_back_and_keeps_what_was_measured_before) {
  const fs::path journal = fresh_folder() / "run.journal";
  append_to_journal(journal, after_a_failure());
  const CellResult cell = read_back(journal).cells[0];
  EXPECT_EQ(cell.outcome, Outcome::kFailed);
  EXPECT_EQ(cell.reason, "a.tar: damaged");
  EXPECT_EQ(cell.repeats.size(), 2U);
}

TEST(RunJournal, adds_nothing_twice) {
  const fs::path journal = fresh_folder() / "run.journal";
  append_to_journal(journal, after_another_start(5.0));
  append_to_journal(journal, after_another_start(6.0));
  RunResult run = read_back(journal);
  JournalSnapshot(journal).add_to(run);
  EXPECT_EQ(run.cells[0].repeats.size(), 3U);
  EXPECT_EQ(run.cells[0].metrics[0].value, 5.0);
}

TEST(RunJournal, leaves_out_the_line_that_a_kill_cut_off_wherever_that_was) {
  const fs::path journal = fresh_folder() / "run.journal";
  append_to_journal(journal, after_another_start(5.0));
  const std::string whole = read_whole_file(journal);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(journal, std::ios::binary) << whole.substr(0, size);
    EXPECT_EQ(read_back(journal).cells[0].repeats.size(), 2U) << size;
  }
}

TEST(RunJournal, that_is_not_there_adds_nothing) {
  EXPECT_EQ(read_back(fresh_folder() / "run.journal").cells[0].repeats.size(), 2U);
}

TEST(RunJournal, names_the_line_that_is_damaged) {
  const fs::path journal = fresh_folder() / "run.journal";
  append_to_journal(journal, after_another_start(5.0));
  append_to_file(journal, "{\"cell\":\n");
  EXPECT_EQ(error_of(journal).find(journal.string() + ": line 2"), 0U) << error_of(journal);
}

TEST(RunJournal, refuses_a_cell_that_the_run_does_not_have) {
  const fs::path journal = fresh_folder() / "run.journal";
  CellResult stranger = after_another_start(5.0);
  stranger.index = 99;
  append_to_journal(journal, stranger);
  EXPECT_EQ(error_of(journal),
            journal.string() + ": line 1: $.cell: is 99; the run has no such cell");
}

TEST(RunJournal, refuses_a_gap) {
  const fs::path journal = fresh_folder() / "run.journal";
  CellResult cell = after_another_start(5.0);
  cell.repeats.push_back(cell.repeats.back());
  append_to_journal(journal, cell);
  EXPECT_EQ(error_of(journal), journal.string() + ": line 1: $.repeats: is 4; must be 3");
}

}  // namespace
}  // namespace feedrate
