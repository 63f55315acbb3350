// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/columns.h"
#include "core/error.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"

namespace feedrate {
namespace {

std::string csv_of(const RunResult& run) {
  std::ostringstream out;
  write_cells_csv(out, run);
  return out.str();
}

std::filesystem::path write_file(const std::string& content) {
  const std::filesystem::path path = fresh_folder() / "cells.csv";
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

void expect_damaged(const std::string& content, const std::string& message) {
  const std::filesystem::path path = write_file(content);
  try {
    static_cast<void>(read_cells_csv(path));
    FAIL() << "was taken for sound";
  } catch (const FormatError& error) {
    EXPECT_EQ(error.what(), path.string() + message);
  }
}

TEST(CellsCsv, is_as_committed) {
  expect_golden(csv_of(sample_run()), "tests/golden/report/cells.csv");
}

TEST(CellsCsv, has_the_same_columns_before_anything_was_measured) {
  RunResult run = sample_run();
  const std::string full = csv_of(run);
  for (CellResult& cell : run.cells) cell.metrics.clear();
  const std::string empty = csv_of(run);
  EXPECT_EQ(empty.substr(0, empty.find('\n')), full.substr(0, full.find('\n')));
}

TEST(CellsCsv, reads_back_settings_with_their_types_and_metrics_with_every_digit) {
  const RunResult run = sample_run();
  const RunResult back = read_cells_csv(write_file(csv_of(run)));
  EXPECT_EQ(back.cells[0].jobid, "4711_2");
  EXPECT_EQ(back.cells[0].node, "node7");
  EXPECT_EQ(back.cells[1].jobid, "4711") << "the run's, where the cell has none";
  EXPECT_TRUE(back.simulated);
  EXPECT_EQ(back.axes, run.axes);
  ASSERT_EQ(back.cells.size(), run.cells.size());
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    EXPECT_EQ(back.cells[i].index, run.cells[i].index);
    EXPECT_EQ(back.cells[i].settings, run.cells[i].settings);
    EXPECT_EQ(back.cells[i].outcome, run.cells[i].outcome);
    EXPECT_EQ(back.cells[i].bottleneck, run.cells[i].bottleneck);
    EXPECT_EQ(back.cells[i].reason, run.cells[i].reason);
  }
  EXPECT_EQ(*find_metric(back.cells[0].metrics, "loading_time"), 0.00787);
}

TEST(CellsCsv, types_no_column_by_its_values) {
  RunResult run;
  run.cells = {measured_cell(0, {{"step_ms", 2.0}, {"num_workers", std::int64_t{2}}}, 1000.0)};
  run.cells[0].metrics.push_back({"steps", 60.0});
  EXPECT_NE(csv_of(run).find(",2.0,2,"), std::string::npos) << csv_of(run);
  EXPECT_NE(csv_of(run).find(",1000.0,"), std::string::npos) << csv_of(run);
  EXPECT_NE(csv_of(run).find(",60,"), std::string::npos) << csv_of(run);
  EXPECT_EQ(read_cells_csv(write_file(csv_of(run))).cells[0].settings, run.cells[0].settings);
}

TEST(CellsCsv, leaves_what_is_not_a_number_empty) {
  const RunResult back = read_cells_csv(write_file(csv_of(sample_run())));
  EXPECT_EQ(find_metric(back.cells[1].metrics, "au"), nullptr);
}

TEST(CellsCsv, refuses_a_setting_with_a_columns_name) {
  RunResult run;
  run.cells = {measured_cell(0, {{"steps", std::int64_t{60}}}, 1.0)};
  EXPECT_THROW(csv_of(run), ConfigError);
}

TEST(CellsCsv, says_which_line_is_damaged) {
  expect_damaged("", ": line 1: is empty; the first line must hold column names");
  const std::string ours = "jobid,simulated,cell,outcome,reason";
  expect_damaged(ours + ",a,a\n", ": line 1: names column \"a\" twice");
  expect_damaged(ours + "\n,true,0,ok,\n1\n",
                 ": line 3: has 1 fields; the first line names 5 columns");
  expect_damaged(ours + "\n,true,x,ok,\n", ": line 2: cell is \"x\"; must be a whole number");
  expect_damaged(ours + "\n,1,0,ok,\n", ": line 2: simulated is \"1\"; must be true or false");
  expect_damaged(ours + ",au\n,true,0,ok,,nan\n",
                 ": line 2: au is \"nan\"; must be a number or empty");
  expect_damaged(ours + "\n,true,0,fine,\n",
                 ": line 2: outcome \"fine\": unknown; must be pending, ok, skipped or failed");
}

// Otherwise measurements would become settings, and pin_memory=1 would not be true.
TEST(CellsCsv, refuses_a_table_of_another_origin) {
  expect_damaged("cell,outcome,workers,pin_memory,seconds\n0,ok,4,1,3.5\n",
                 ": line 1: has no column \"jobid\", so it is not a cells.csv of feedrate; use a "
                 "file of `feedrate sweep`, or map the columns with `feedrate what-if --columns`");
}

TEST(CellsCsv, takes_booleans_as_pandas_writes_them_and_no_added_measurement_for_a_setting) {
  const RunResult back = read_cells_csv(
      write_file("jobid,simulated,cell,outcome,reason,pin_memory,samples_per_second,my_seconds\n"
                 ",True,0,ok,,True,5.0,3.5\n"));
  EXPECT_TRUE(back.simulated);
  EXPECT_EQ(back.cells.at(0).settings, (Settings{{"pin_memory", true}}));
}

TEST(CellsCsv, reads_older_tables_with_a_background_load) {
  const RunResult back = read_cells_csv(
      write_file("jobid,simulated,cell,outcome,reason,disturbance_readers,files_opened,"
                 "disturbance_bytes_per_second,storage_read_bytes\n"
                 ",False,0,ok,,4,20,2e9,1000\n"));
  const CellResult& cell = back.cells.at(0);
  EXPECT_EQ(cell.settings, (Settings{{"disturbance_readers", std::int64_t{4}}}));
  EXPECT_EQ(cell.metrics.size(), 2U);
  EXPECT_EQ(*find_metric(cell.metrics, "storage_read_bytes"), 1000.0);
}

TEST(CellsCsv, names_a_file_that_is_missing) {
  EXPECT_THROW(static_cast<void>(read_cells_csv("/nowhere/cells.csv")), SystemError);
}

}  // namespace
}  // namespace feedrate
