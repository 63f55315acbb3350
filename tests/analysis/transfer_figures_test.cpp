// SPDX-License-Identifier: Apache-2.0
#include "analysis/transfer_figures.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// Steps have 100 samples.
TransferSide side(double rate, const std::vector<double>& start_rates = {}) {
  TransferSide side{.rate = rate,
                    .step_time = 100.0 / rate,
                    .starts = static_cast<double>(start_rates.size()),
                    .start_rates = start_rates,
                    .start_step_times = {}};
  for (const double start : start_rates) side.start_step_times.push_back(100.0 / start);
  return side;
}

// There are no starts, so 5 % is noise.
std::vector<TransferPoint> points(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<TransferPoint> points;
  for (std::size_t i = 0; i < a.size(); ++i) points.push_back({side(a[i]), side(b[i])});
  return points;
}

TransferFigures figures_of(const std::vector<double>& a, const std::vector<double>& b) {
  return transfer_figures(points(a, b), 0, {});
}

TEST(TransferFigures, of_equal_orders_are_perfect) {
  const TransferFigures figures = figures_of({100, 200, 300}, {10, 20, 30});
  EXPECT_DOUBLE_EQ(figures.tau.value, 1.0);
  EXPECT_DOUBLE_EQ(figures.rho.value, 1.0);
  EXPECT_DOUBLE_EQ(figures.distinguishable_tau.value, 1.0);
  EXPECT_DOUBLE_EQ(figures.regret.value, 0.0);
  EXPECT_EQ(figures.pairs, 3U);
}

// 100 and 103 in B are noise; A has the opposite order.
TEST(TransferFigures, leave_out_pairs_that_b_cannot_distinguish) {
  const TransferFigures figures = figures_of({100, 90, 300}, {100, 103, 200});
  EXPECT_DOUBLE_EQ(figures.tau.value, 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(figures.distinguishable_tau.value, 1.0);
  EXPECT_EQ(figures.distinguishable_pairs, 2U);
}

// B, beyond its noise, contradicts A's 100 and 101. The pair counts.
TEST(TransferFigures, count_pairs_that_only_b_distinguishes) {
  const TransferFigures figures = figures_of({100, 101, 300}, {150, 100, 200});
  EXPECT_DOUBLE_EQ(figures.distinguishable_tau.value, 1.0 / 3.0);
}

TEST(TransferFigures, name_the_pairs_that_a_has_the_wrong_way_round_worst_first) {
  const TransferFigures figures = figures_of({300, 200, 100}, {150, 100, 200});
  ASSERT_EQ(figures.disagreements.size(), 2U);
  EXPECT_EQ(figures.disagreements[0].first, 2U);
  EXPECT_EQ(figures.disagreements[0].second, 1U);
  EXPECT_EQ(figures.disagreements[1].second, 0U);
}

TEST(TransferFigures, count_ties_of_a_against_it) {
  const TransferFigures figures = figures_of({100, 100, 300}, {150, 100, 200});
  EXPECT_DOUBLE_EQ(figures.distinguishable_tau.value, 2.0 / std::sqrt(2.0 * 3.0));
}

TEST(TransferFigures, name_what_is_lost_by_taking_the_best_of_a) {
  const TransferFigures figures = figures_of({100, 200, 300}, {50, 200, 150});
  EXPECT_DOUBLE_EQ(figures.regret.value, 0.25);
  EXPECT_EQ(figures.best_in_a, 2U);
  EXPECT_EQ(figures.best_in_b, 1U);
}

TEST(TransferFigures, name_what_is_lost_by_taking_what_a_proposes) {
  const TransferFigures figures = transfer_figures(points({200, 290, 300}, {50, 100, 200}), 1, {});
  EXPECT_EQ(figures.proposed_by_a, 1U);
  EXPECT_DOUBLE_EQ(figures.regret.value, 0.0);
  EXPECT_DOUBLE_EQ(figures.proposal_regret.value, 0.5);
  EXPECT_DOUBLE_EQ(figures.significant_regret, 0.05);
}

// t(0.975, 4) 1 % sqrt(1/3 + 1/3) = 2.776445 * 0.01 * 0.816497 = 2.267 %.
TEST(TransferFigures, take_the_noise_from_the_starts_where_there_are_any) {
  const auto b_differs_by = [](double loss) {
    const std::vector<TransferPoint> two{{side(100.0), side(100.0, {99, 100, 101})},
                                         {side(200.0), side(100.0 * (1.0 - loss), {99, 100, 101})}};
    return transfer_figures(two, 0, {0.01, 4.0}).distinguishable_pairs;
  };
  EXPECT_EQ(b_differs_by(0.0226), 0U);
  EXPECT_EQ(b_differs_by(0.0228), 1U);
}

// |100/110 - 1|, |100/100 - 1| and |150/100 - 1| of step times.
TEST(TransferFigures, measure_the_error_of_step_times) {
  const TransferFigures figures = figures_of({110, 100, 200}, {100, 100, 300});
  EXPECT_NEAR(figures.median_error.value, 1.0 - 100.0 / 110.0, 1e-12);
  EXPECT_NEAR(figures.largest_error.value, 0.5, 1e-12);
}

TEST(TransferFigures, leave_cells_without_step_time_out_of_the_error) {
  std::vector<TransferPoint> cells = points({100, 200}, {100, 100});
  cells[1].b.step_time = kNotMeasured;
  EXPECT_DOUBLE_EQ(transfer_figures(cells, 0, {}).largest_error.value, 0.0);
}

TEST(TransferFigures, have_no_intervals_where_a_cell_has_too_few_starts) {
  const std::vector<TransferPoint> cells{{side(100, {99, 101}), side(100, {99, 101})},
                                         {side(200, {199, 201}), side(200, {200})}};
  const TransferFigures figures = transfer_figures(cells, 0, {0.01, 2.0});
  EXPECT_EQ(figures.cells_without_starts, 1U);
  EXPECT_FALSE(figures.tau.interval);
  EXPECT_FALSE(figures.median_error.interval);
}

// Every other start of the second cell beats the first, so the order is random.
std::vector<TransferPoint> noisy_cells() {
  return {{side(100, {100, 100}), side(100, {100, 100})},
          {side(105, {90, 120}), side(110, {110, 110})}};
}

TEST(TransferFigures, have_intervals_that_show_what_the_starts_leave_open) {
  const TransferFigures figures = transfer_figures(noisy_cells(), 0, {0.01, 2.0});
  ASSERT_TRUE(figures.tau.interval);
  EXPECT_DOUBLE_EQ(figures.tau.value, 1.0);
  EXPECT_DOUBLE_EQ(figures.tau.interval->low, -1.0);
  EXPECT_DOUBLE_EQ(figures.tau.interval->high, 1.0);
  EXPECT_DOUBLE_EQ(figures.regret.interval->low, 0.0);
  EXPECT_DOUBLE_EQ(figures.regret.interval->high, 1.0 - 100.0 / 110.0);
}

TEST(TransferFigures, have_the_same_intervals_each_time) {
  const auto low = [] {
    return transfer_figures(noisy_cells(), 0, {0.01, 2.0}).median_error.interval->low;
  };
  EXPECT_EQ(low(), low());
}

TEST(TransferFigures, of_one_cell_rank_nothing) {
  const TransferFigures figures = figures_of({100}, {50});
  EXPECT_TRUE(std::isnan(figures.tau.value));
  EXPECT_DOUBLE_EQ(figures.regret.value, 0.0);
  EXPECT_DOUBLE_EQ(figures.largest_error.value, 0.5);
}

}  // namespace
}  // namespace feedrate
