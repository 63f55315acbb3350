// SPDX-License-Identifier: Apache-2.0
// Compares two results with the same machine, data and program, which must show no difference.
// Sweeps are drawn from fixed seeds; the cells differ in rate and in noise.
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/compare.h"
#include "core/random.h"
#include "core/statistics.h"
#include "tests/analysis/report/sample_run.h"

namespace feedrate {
namespace {

constexpr std::size_t kSweeps = 60;
constexpr std::size_t kCells = 100;
constexpr std::size_t kStarts = 3;

// A tenth of the starts is slowed down by other programs.
double draw_rate(double mean, double deviation, RandomStream& random) {
  const double hit = random.uniform() < 0.1 ? 1.0 - 3.0 * deviation : 1.0;
  return mean * hit * std::exp(deviation * random.normal());
}

CellResult draw_cell(std::size_t index, double factor, RandomStream& random) {
  const double mean_rate = factor * (500.0 + 250.0 * static_cast<double>(index));
  const double deviation = 0.005 + 0.05 * static_cast<double>(index % 4) / 3.0;
  std::vector<double> rates;
  CellResult cell = measured_cell(index, {{"num_workers", static_cast<std::int64_t>(index)}}, 1.0);
  for (std::size_t i = 0; i < kStarts; ++i) {
    rates.push_back(draw_rate(mean_rate, deviation, random));
    cell.repeats.push_back({{{"samples_per_second", rates.back()}}, {}});
  }
  cell.metrics = {{"samples_per_second", mean(rates)}};
  return cell;
}

struct Drawn {
  double factor = 1.0;  // The factor of the first `slower` cells.
  std::size_t slower = kCells;
  std::size_t cells = kCells;
  bool is_disturbed = false;
};

RunResult draw_sweep(const Drawn& what, RandomStream& random) {
  RunResult run;
  for (std::size_t i = 0; i < what.cells; ++i) {
    run.cells.push_back(draw_cell(i, i < what.slower ? what.factor : 1.0, random));
    if (!what.is_disturbed) continue;
    for (Repeat& start : run.cells.back().repeats) start.metrics.push_back({"disturbed", 1.0});
  }
  return run;
}

// Shares of all cells, except `alarms`.
struct Shares {
  double decided = 0.0;  // WIN or LOSE.
  double wrong = 0.0;    // WIN of a slower run.
  double slower = 0.0;   // A regression.
  double alarms = 0.0;   // Comparisons with a regression.
};

Shares compare_often(const Drawn& drawn, const ComparisonRule& rule, std::size_t sweeps = kSweeps) {
  RandomStream random(4711);
  const double one = 1.0 / static_cast<double>(sweeps * drawn.cells);
  Shares shares;
  for (std::size_t i = 0; i < sweeps; ++i) {
    const RunResult a = draw_sweep({.cells = drawn.cells}, random);
    const RunResult b = draw_sweep(drawn, random);
    const std::vector<NamedRun> runs{{"a", &a}, {"b", &b}};
    const Comparison comparison = compare_runs(runs, rule);
    shares.alarms += comparison.has_regression() ? 1.0 / static_cast<double>(sweeps) : 0.0;
    for (const ComparedCell& cell : comparison.cells) {
      const AgainstBaseline& against = *cell.against.front();
      const bool is_win = against.verdict == Verdict::kWin;
      shares.decided += is_win || against.verdict == Verdict::kLose ? one : 0.0;
      shares.wrong += is_win ? one : 0.0;
      shares.slower += against.is_regression ? one : 0.0;
    }
  }
  return shares;
}

TEST(SameAgainstSame, at_most_a_twentieth_of_the_cells_is_a_win_or_a_lose) {
  EXPECT_LE(compare_often({}, {.tolerance = 0.0}).decided, 0.05);
  EXPECT_LE(compare_often({}, {}).decided, 0.05);
}

TEST(SameAgainstSame, hardly_a_comparison_of_a_hundred_cells_has_a_regression) {
  EXPECT_LE(compare_often({}, {.threshold = 0.0}).alarms, 0.05);
  EXPECT_LE(compare_often({}, {}).alarms, 0.05);
}

TEST(SameAgainstSame, ten_percent_slower_is_found_and_never_a_win) {
  const Shares shares = compare_often({.factor = 0.9}, {});
  EXPECT_GE(shares.decided, 0.5);
  EXPECT_LE(shares.wrong, 0.001);
  EXPECT_GE(shares.alarms, 0.99);
}

TEST(SameAgainstSame, one_much_slower_cell_of_a_hundred_is_a_regression) {
  EXPECT_GE(compare_often({.factor = 0.7, .slower = 1}, {}).alarms, 0.9);
}

// The machine drifts by up to 3 % between the runs, in all cells.
TEST(SameAgainstSame, a_drift_of_the_machine_adds_no_regressions) {
  constexpr double kDrifts[] = {-0.03, -0.02, -0.01, 0.0, 0.01, 0.02, 0.03};
  double decided = 0.0, alarms = 0.0;
  for (const double drift : kDrifts) {
    const Shares shares = compare_often({.factor = 1.0 + drift, .cells = 12}, {}, 400);
    decided += shares.decided / std::size(kDrifts);
    alarms += shares.alarms / std::size(kDrifts);
    EXPECT_LE(shares.slower, 0.01) << drift;
  }
  EXPECT_LE(decided, 0.05);
  EXPECT_LE(alarms, 0.05);
}

TEST(SameAgainstSame, disturbing_programs_add_no_regressions) {
  const Shares shares = compare_often({.factor = 0.7, .cells = 12, .is_disturbed = true}, {});
  EXPECT_EQ(shares.decided, 0.0);
  EXPECT_EQ(shares.alarms, 0.0);
}

}  // namespace
}  // namespace feedrate
