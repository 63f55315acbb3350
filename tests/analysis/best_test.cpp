// SPDX-License-Identifier: Apache-2.0
#include "analysis/best.h"

#include <gtest/gtest.h>

#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

Settings workers(std::int64_t number) { return {{"num_workers", number}}; }

TEST(IsCheaper, counts_workers_first_and_then_memory) {
  CellResult one = measured_cell(0, workers(1), 1000.0);
  CellResult lean = measured_cell(1, workers(1), 990.0);
  const CellResult two = measured_cell(2, workers(2), 1010.0);
  one.metrics.push_back({"memory", 2e9});
  lean.metrics.push_back({"memory", 1e9});
  EXPECT_TRUE(is_cheaper(lean, one));
  EXPECT_TRUE(is_cheaper(one, two));
}

TEST(IsCheaper, prefers_less_code_before_less_memory) {
  const auto copying = [](std::size_t index, std::int64_t ahead, const char* stream) {
    CellResult cell = measured_cell(
        index, {{"device_prefetch", ahead}, {"copy_stream", std::string(stream)}}, 1000.0);
    cell.metrics.push_back({"memory", 1e9 - 1e6 * static_cast<double>(index)});
    return cell;
  };
  EXPECT_TRUE(is_cheaper(copying(0, 0, "same"), copying(1, 0, "side")));
  EXPECT_TRUE(is_cheaper(copying(1, 0, "side"), copying(2, 1, "side")));
  EXPECT_TRUE(is_cheaper(copying(2, 1, "side"), copying(3, 2, "side")));
}

TEST(ChoosableCells, are_no_limits_unless_there_is_nothing_else) {
  RunResult run;
  run.cells = {measured_cell(0, {{"trainer", std::string("discard")}}, 3000.0)};
  EXPECT_EQ(choosable_cells(run).size(), 1U);
  run.cells.push_back(measured_cell(1, {{"trainer", std::string("burn")}}, 1000.0));
  ASSERT_EQ(choosable_cells(run).size(), 1U);
  EXPECT_EQ(choosable_cells(run).front()->index, 1U);
}

TEST(RateText, shows_half_the_interval_in_percent) {
  EXPECT_EQ(rate_text(measured_cell(0, {}, 12345.0, 370.35)), "12,345 ± 3 %");
  EXPECT_EQ(rate_text(measured_cell(0, {}, 100.0, 0.25)), "100 ± 0.2 %");
  EXPECT_EQ(rate_text(measured_cell(0, {}, 46.25)), "46.2");
}

}  // namespace
}  // namespace feedrate
