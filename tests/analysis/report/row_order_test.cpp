// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/table.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

RunResult three_cells() {
  RunResult run;
  const std::int64_t workers[] = {9, 10, 2};
  const double loading[] = {0.3, 0.1, 0.2};
  for (std::size_t i = 0; i < 3; ++i) {
    run.cells.push_back(measured_cell(i, {{"num_workers", workers[i]}}, 100.0 + 10.0 * loading[i]));
    run.cells.back().metrics.push_back({"loading_time", loading[i]});
  }
  return run;
}

std::vector<std::size_t> order_by(const std::string& sort, RunResult run = three_cells()) {
  run.sort = sort;
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) cells.push_back(&cell);
  sort_rows(run, cells);
  std::vector<std::size_t> order;
  for (const CellResult* cell : cells) order.push_back(cell->index);
  return order;
}

TEST(RowOrder, is_left_where_none_was_asked_for) {
  EXPECT_THAT(order_by(""), ElementsAre(0, 1, 2));
}

TEST(RowOrder, of_times_is_ascending_and_of_rates_descending) {
  EXPECT_THAT(order_by("loading_time"), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_by("samples_per_second"), ElementsAre(0, 2, 1));
}

TEST(RowOrder, of_settings_goes_by_the_size_of_numbers) {
  EXPECT_THAT(order_by("num_workers"), ElementsAre(2, 0, 1));
}

TEST(RowOrder, has_cells_without_the_value_last) {
  RunResult run = three_cells();
  run.cells[1].metrics.clear();
  EXPECT_THAT(order_by("loading_time", run), ElementsAre(2, 0, 1));
}

TEST(RowOrder, goes_by_the_job_that_measured) {
  RunResult run = three_cells();
  run.jobid = "12";
  run.cells[0].jobid = "13";
  run.cells[2].jobid = "9";
  EXPECT_THAT(order_by("jobid", run), ElementsAre(2, 1, 0));
}

}  // namespace
}  // namespace feedrate
