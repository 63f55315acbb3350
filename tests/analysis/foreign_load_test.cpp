// SPDX-License-Identifier: Apache-2.0
#include "analysis/foreign_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ForeignLoad load(double cpus, double own, double taken) {
  return {.seconds = 10.0, .cpus = cpus, .busy = own + taken, .taken = taken, .stolen = 0.0};
}

TEST(ForeignLoad, disturbs_where_it_is_beyond_its_share_and_few_cpus_are_idle) {
  EXPECT_TRUE(is_disturbing(load(2, 1.0, 0.96)));
  EXPECT_TRUE(is_disturbing(load(2, 1.0, 0.11)));
  EXPECT_FALSE(is_disturbing(load(2, 1.9, 0.09))) << "a quiet machine has its daemons";
  EXPECT_FALSE(is_disturbing(load(2, 0.03, 0.96))) << "more than a CPU was idle";
}

TEST(ForeignLoad, does_not_disturb_where_cpus_are_plenty) {
  EXPECT_FALSE(is_disturbing(load(64, 2.0, 1.0)));
  EXPECT_FALSE(is_disturbing(load(64, 2.0, 20.0)));
  EXPECT_TRUE(is_disturbing(load(64, 2.0, 40.0)));
}

TEST(ForeignLoad, in_a_short_window_must_exceed_the_error_of_ticks) {
  ForeignLoad brief = load(2, 1.5, 0.15);
  EXPECT_TRUE(is_disturbing(brief));
  brief.seconds = 0.2;
  EXPECT_FALSE(is_disturbing(brief));
}

Repeat start(double disturbed, double foreign, double steal = 0.0) {
  return {{{"cpus", 2.0}, {"foreign_cpu", foreign}, {"steal", steal}, {"disturbed", disturbed}},
          {}};
}

CellResult cell_of_starts(std::vector<Repeat> starts) {
  CellResult cell = measured_cell(0, {}, 100.0);
  cell.repeats = std::move(starts);
  return cell;
}

TEST(ForeignLoad, of_a_cell_counts_the_disturbed_starts) {
  const CellResult cell = cell_of_starts({start(1, 0.9), start(0, 0.02), start(1, 1.0, 0.02)});
  EXPECT_TRUE(is_disturbed(cell));
  EXPECT_EQ(foreign_load_text(cell), "other programs used 0.96 of 2 CPUs in 2 of 3 repeats");
  EXPECT_FALSE(is_disturbed(cell_of_starts({start(0, 0.02)})));
  EXPECT_EQ(foreign_load_text(cell_of_starts({start(0, 0.02)})), "");
}

TEST(ForeignLoad, that_is_stolen_is_attributed_to_other_guests) {
  EXPECT_EQ(foreign_load_text(cell_of_starts({start(1, 0.1, 0.5)})),
            "other guests of the host used 0.60 of 2 CPUs in 1 of 1 repeat");
}

TEST(ForeignLoad, of_one_measurement_has_no_count_of_repeats) {
  EXPECT_EQ(foreign_load_text(start(1, 0.9).metrics), "other programs used 0.90 of 2 CPUs");
  EXPECT_EQ(foreign_load_text(start(0, 0.9).metrics), "");
  EXPECT_EQ(foreign_load_text(std::vector<Metric>{}), "");
}

TEST(ForeignLoad, of_a_table_comes_from_its_means) {
  CellResult cell = cell_of_starts({});
  cell.metrics = {{"cpus", 2.0}, {"foreign_cpu", 0.5}, {"disturbed", 2.0 / 3}, {"repeats", 3.0}};
  EXPECT_TRUE(is_disturbed(cell));
  EXPECT_EQ(foreign_load_text(cell), "other programs used 0.50 of 2 CPUs in 2 of 3 repeats");
}

CellResult cell_without_storage() {
  CellResult cell = cell_of_starts({start(0, 0.02)});
  cell.metrics.push_back({"foreign_io", 2e8});
  cell.bottleneck = "other programs";
  return cell;
}

TEST(ForeignLoad, on_storage_has_a_caution_too) {
  CellResult cell = cell_without_storage();
  EXPECT_TRUE(is_disturbed(cell));
  EXPECT_THAT(foreign_load_caution(cell),
              HasSubstr("other programs moved 200 MB/s on the dataset's device"));
  cell.bottleneck = "decode CPU";
  EXPECT_FALSE(is_disturbed(cell)) << "others may use a device that the cell does not wait for";
}

TEST(ForeignLoad, on_storage_is_a_warning_of_the_run_too) {
  RunResult run;
  run.cells = {cell_of_starts({start(0, 0.01)}), cell_without_storage()};
  EXPECT_EQ(foreign_load_sentence(run),
            "Other programs moved more data on the dataset's device than the cell itself in 1 of 2 "
            "cells: the affected rates are too low.");
  run.cells[0] = cell_of_starts({start(1, 0.9)});
  EXPECT_THAT(foreign_load_sentence(run),
              AllOf(HasSubstr("used 0.90 of 2 CPUs"), HasSubstr("in 1 of 2 cells")));
}

// A start of a version without the metric: two CPUs, all busy; others take 0.9 in the window and
// nothing before it.
Repeat old_start(double taken) {
  Repeat old;
  old.series = {{"monitor_time", {1, 2, 3, 4}},
                {"monitor_window", {1.5, 4.0}},
                {"monitor_cpu_total", {2, 2, 2, 2}},
                {"monitor_cpu_main", {1, 1, 1, 1}},
                {"monitor_cpu_workers", {1, 1 - taken, 1 - taken, 1 - taken}},
                {"monitor_cpu_core_0", {1, 1, 1, 1}},
                {"monitor_cpu_core_1", {1, 1, 1, 1}}};
  return old;
}

TEST(ForeignLoad, of_an_old_run_comes_from_the_monitors_series) {
  EXPECT_EQ(foreign_load_text(cell_of_starts({old_start(0.9)})),
            "other programs used 0.90 of 2 CPUs in 1 of 1 repeat");
  EXPECT_FALSE(is_disturbed(cell_of_starts({old_start(0.05)})));
  EXPECT_FALSE(is_disturbed(cell_of_starts({Repeat()}))) << "nothing is known, nothing is said";
}

TEST(ForeignLoad, of_a_run_is_its_first_warning) {
  RunResult run;
  run.environment.warnings = {"It is a virtual machine."};
  run.cells = {cell_of_starts({start(0, 0.01), start(0, 0.01)})};
  EXPECT_THAT(warnings_of(run), ElementsAre("It is a virtual machine."));
  run.cells.push_back(cell_of_starts({start(1, 0.9), start(1, 1.1)}));
  EXPECT_THAT(
      warnings_of(run),
      ElementsAre(
          "Other programs used 1.00 of 2 CPUs in 2 of 4 repeats: the affected rates are too low.",
          "It is a virtual machine."));
}

// Windows of 8 steps of 2 ms gave 138,937 samples/s in one run and 396,544 in the next, without a
// warning.
TEST(UnwatchedCell, is_one_that_was_measured_too_shortly) {
  const auto cell_with = [](double steps, double rate) {
    CellResult cell = measured_cell(0, {{"batch_size", std::int64_t{100}}}, rate);
    cell.metrics.push_back({"steps", steps});
    cell.metrics.push_back({"repeats", 2.0});
    return cell;
  };
  EXPECT_TRUE(is_unwatched(cell_with(16.0, 10000.0)));
  EXPECT_FALSE(is_unwatched(cell_with(60.0, 10000.0)));
  CellResult watched = cell_with(16.0, 10000.0);
  watched.metrics.push_back({"disturbed", 0.0});
  EXPECT_FALSE(is_unwatched(watched));
  RunResult run;
  run.cells = {cell_with(16.0, 10000.0)};
  EXPECT_THAT(warnings_of(run),
              ::testing::Contains(::testing::HasSubstr("set measure.steps to 20 or more")));
}

}  // namespace
}  // namespace feedrate
