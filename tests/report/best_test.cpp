#include "report/best.h"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/report/sample_run.h"

namespace feedrate {
namespace {

Settings workers(std::int64_t number) { return {{"num_workers", number}}; }

std::vector<std::size_t> indices(const std::vector<const CellResult*>& cells) {
  std::vector<std::size_t> result;
  for (const CellResult* cell : cells) result.push_back(cell->index);
  return result;
}

// Three starts with a relative deviation of 2 %: the interval's half is t(0.975, 2) 2 % / sqrt(3) =
// 4.302653 * 0.02 / 1.732051 = 4.9683 %.
CellResult three_starts(std::size_t index, std::int64_t num_workers, double rate) {
  CellResult cell = measured_cell(index, workers(num_workers), rate, 0.049683 * rate);
  cell.metrics.push_back({"repeats", 3.0});
  return cell;
}

// Pooled over three such cells: t(0.975, 6) 2 % sqrt(2 / 3) = 2.446912 * 0.02 * 0.816497 = 3.996 %.
TEST(TiedWithBest, holds_cells_that_lose_less_than_the_pooled_noise_can_tell) {
  RunResult run;
  run.cells = {three_starts(0, 4, 1000.0), three_starts(1, 2, 960.5), three_starts(2, 1, 959.5)};
  EXPECT_EQ(indices(tied_with_best(run)), (std::vector<std::size_t>{1, 0}));
}

TEST(TiedWithBest, holds_cells_within_five_percent_where_an_interval_is_missing) {
  RunResult run;
  run.cells = {measured_cell(0, workers(4), 1000.0), measured_cell(1, workers(2), 951.0),
               measured_cell(2, workers(1), 949.0, 100.0)};
  EXPECT_EQ(indices(tied_with_best(run)), (std::vector<std::size_t>{1, 0}));
}

TEST(TiedWithBest, holds_the_best_whatever_the_figures_are) {
  RunResult run;
  for (const std::size_t index : {0U, 1U}) {
    run.cells.push_back(measured_cell(index, workers(1), 1e-10, 1e308));
    run.cells.back().metrics.push_back({"repeats", 1.7e308});
  }
  EXPECT_FALSE(tied_with_best(run).empty());
}

TEST(TiedWithBest, puts_fewest_workers_first_and_then_least_memory) {
  RunResult run;
  run.cells = {measured_cell(0, workers(2), 1000.0), measured_cell(1, workers(1), 990.0),
               measured_cell(2, workers(1), 980.0)};
  run.cells[1].metrics.push_back({"memory", 2e9});
  run.cells[2].metrics.push_back({"memory", 1e9});
  EXPECT_EQ(indices(tied_with_best(run)), (std::vector<std::size_t>{2, 1, 0}));
}

TEST(TiedWithBest, puts_less_to_program_before_less_memory) {
  const auto copying = [](std::size_t index, std::int64_t ahead, const char* stream) {
    CellResult cell = measured_cell(
        index, {{"device_prefetch", ahead}, {"copy_stream", std::string(stream)}}, 1000.0);
    cell.metrics.push_back({"memory", 1e9 + 1e6 * static_cast<double>(3 - index)});
    return cell;
  };
  RunResult run;
  run.cells = {copying(0, 0, "same"), copying(1, 0, "side"), copying(2, 1, "side"),
               copying(3, 2, "side")};
  EXPECT_EQ(indices(tied_with_best(run)), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(BestCell, is_none_of_the_limits) {
  RunResult run;
  run.cells = {measured_cell(0, {{"trainer", std::string("discard")}}, 3000.0),
               measured_cell(1, {{"loader", std::string("cached")}}, 2000.0),
               measured_cell(2, {{"trainer", std::string("burn")}}, 1000.0)};
  EXPECT_EQ(best_cell(run)->index, 2U);
}

TEST(BestCell, is_a_limit_where_nothing_else_was_measured) {
  RunResult run;
  run.cells = {measured_cell(0, {{"trainer", std::string("discard")}}, 3000.0)};
  EXPECT_EQ(best_cell(run)->index, 0U);
}

TEST(BestCell, is_null_where_nothing_was_measured) {
  EXPECT_EQ(best_cell(RunResult{}), nullptr);
  EXPECT_TRUE(tied_with_best(RunResult{}).empty());
}

TEST(RateText, shows_half_the_interval_in_percent) {
  EXPECT_EQ(rate_text(measured_cell(0, {}, 12345.0, 370.35)), "12,345 ± 3 %");
  EXPECT_EQ(rate_text(measured_cell(0, {}, 100.0, 0.25)), "100 ± 0.2 %");
  EXPECT_EQ(rate_text(measured_cell(0, {}, 46.25)), "46.2");
}

TEST(PrintBest, lists_at_most_ten_tied_cells) {
  RunResult run;
  for (std::int64_t i = 0; i < 14; ++i) {
    run.cells.push_back(
        measured_cell(static_cast<std::size_t>(i), workers(i), 1000.0 + static_cast<double>(i)));
  }
  std::ostringstream out;
  print_best(out, run);
  EXPECT_NE(out.str().find("  num_workers=9: 1,009 samples/s\n  and 3 more\n"), std::string::npos)
      << out.str();
}

TEST(PrintBest, names_cells_by_what_there_was_to_choose_and_says_what_limits_the_best) {
  const auto cell = [](std::size_t index, const char* loader, std::int64_t number, double rate) {
    return measured_cell(index,
                         {{"num_workers", number},
                          {"loader", std::string(loader)},
                          {"trainer", std::string("burn")}},
                         rate);
  };
  RunResult run;
  run.cells = {cell(0, "dataloader", 1, 500.0), cell(1, "dataloader", 2, 1000.0),
               cell(2, "cached", 0, 1010.0)};
  run.cells[1].metrics.push_back({"trainer_limit", 1010.0});
  run.cells[1].bottleneck = "GPU";
  std::ostringstream out;
  print_best(out, run);
  EXPECT_NE(out.str().find("Best: num_workers=2: 1,000 samples/s"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("Bottleneck of the best: GPU: already GPU-bound, nothing left to win: "
                           "the trainer alone takes 1,010/s.\n"
                           "Bottlenecks of all cells: GPU 1.\n"),
            std::string::npos)
      << out.str();
}

TEST(PrintBest, says_again_that_the_device_was_simulated) {
  std::ostringstream out;
  print_best(out, sample_run());
  EXPECT_NE(out.str().find("simulated device: sim:a100-pcie4"), std::string::npos);
}

TEST(PrintBest, is_silent_where_nothing_was_measured) {
  std::ostringstream out;
  print_best(out, RunResult{});
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace feedrate
