// SPDX-License-Identifier: Apache-2.0
// Costs estimated from tables of rates; the expected values are computed by hand.
#include "analysis/tuner/rate_guess.h"

#include <initializer_list>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/tuner/changed_world.h"
#include "analysis/tuner/fit.h"
#include "analysis/tuner/settings.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using testing::with_mock;

struct Row {
  std::int64_t workers;
  double step;
  const char* mock = "";  ///< "discard" or "cached"
};

class RateTable {
 public:
  RateTable(std::initializer_list<Row> rows) {
    for (const Row& row : rows) {
      Settings settings = testing::settings_with(row.workers, 2, false);
      if (*row.mock == 'd') settings = with_mock(settings, "trainer", "discard");
      if (*row.mock == 'c') settings = with_mock(settings, "loader", "cached");
      CellResult& cell = cells_.emplace_back(testing::cell_with(settings));
      cell.outcome = Outcome::kOk;
      cell.metrics = {{"step_time", row.step}, {"samples_per_second", 32.0 / row.step}};
    }
    for (const CellResult& cell : cells_) measured_.push_back(&cell);
  }

  [[nodiscard]] RateCosts costs(double cores) const { return guess_by_rates(measured_, cores); }
  [[nodiscard]] Bottleneck limit(double cores, std::int64_t workers) const {
    return limit_in(fit_model(measured_, cores),
                    loop_settings(testing::settings_with(workers, 2, false)))
        .what;
  }

 private:
  std::vector<CellResult> cells_;
  std::vector<const CellResult*> measured_;
};

TEST(guess_by_rates, workers_that_scale_to_the_last_row_are_the_limit) {
  const RateTable linear{{1, 0.32}, {2, 0.16}, {4, 0.08}};
  EXPECT_NEAR(linear.costs(8.0).load, 0.32, 1e-4);
  EXPECT_LT(linear.costs(8.0).train, 0.001);
  EXPECT_FALSE(linear.costs(8.0).train_is_seen);
  EXPECT_EQ(linear.limit(8.0, 4), Bottleneck::kDecode);
}

// 2,180, 4,020, 6,755, 6,973 and 21,036 images/s: the last workers gained most.
TEST(guess_by_rates, a_rate_that_rises_to_the_last_row_shows_no_training) {
  const RateTable rising{
      {1, 32 / 2180.0}, {2, 32 / 4020.0}, {4, 32 / 6755.0}, {8, 32 / 6973.0}, {16, 32 / 21036.0}};
  EXPECT_FALSE(rising.costs(16.0).train_is_seen);
  EXPECT_EQ(rising.limit(16.0, 16), Bottleneck::kDecode);
}

TEST(guess_by_rates, a_flat_rate_is_the_trainings) {
  const RateTable flat{{1, 0.32}, {2, 0.16}, {4, 0.1}, {8, 0.1}};
  EXPECT_NEAR(flat.costs(16.0).load, 0.32, 1e-4);
  EXPECT_NEAR(flat.costs(16.0).train, 0.1, 1e-4);
  EXPECT_TRUE(flat.costs(16.0).train_is_seen);
  EXPECT_EQ(flat.limit(16.0, 8), Bottleneck::kGpu);
}

TEST(guess_by_rates, a_rate_that_is_flat_from_the_cores_on_is_theirs) {
  const RateTable flat{{1, 0.32}, {2, 0.16}, {4, 0.08}, {8, 0.08}};
  EXPECT_EQ(flat.costs(4.0).lanes, 4.0);
  EXPECT_FALSE(flat.costs(4.0).train_is_seen);
  EXPECT_EQ(flat.limit(4.0, 8), Bottleneck::kDecode);
}

TEST(guess_by_rates, a_row_without_workers_shows_the_training) {
  const RateTable table{{0, 0.40}, {1, 0.32}, {2, 0.16}};
  EXPECT_NEAR(table.costs(8.0).load, 0.32, 1e-3);
  EXPECT_NEAR(table.costs(8.0).train, 0.08, 1e-3);
}

TEST(guess_by_rates, mocks_show_their_part_alone) {
  const RateTable table{
      {1, 0.32}, {8, 0.16}, {1, 0.32, "discard"}, {4, 0.16, "discard"}, {0, 0.1, "cached"}};
  EXPECT_NEAR(table.costs(8.0).load, 0.32, 1e-3);
  EXPECT_NEAR(table.costs(8.0).train, 0.1, 1e-3);
  EXPECT_NEAR(table.costs(8.0).lanes, 2.0, 0.01);
}

TEST(guess_by_rates, workers_that_scale_beyond_the_cores_wait) {
  const RateTable table{{1, 0.32}, {4, 0.08}, {16, 0.02}};
  EXPECT_NEAR(table.costs(4.0).most_at_once, 16.0, 0.01);
  EXPECT_EQ(table.limit(4.0, 16), Bottleneck::kStorage);
}

}  // namespace
}  // namespace feedrate
