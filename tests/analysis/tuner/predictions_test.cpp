// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/predictions.h"

#include <gtest/gtest.h>

#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using testing::SyntheticWorld;
using testing::with_mock;

std::vector<CellResult> probed(double samples_of_a_step) {
  SyntheticWorld world(testing::some_costs(0.006), {.count = 2.0}, 0.0, 0.0, 1);
  const Settings real = testing::settings_with(4, 2, true);
  std::vector<CellResult> cells;
  for (const Settings& settings :
       {with_mock(testing::settings_with(0, 2, true), "loader", "cached"),
        with_mock(real, "trainer", "discard"), real}) {
    cells.push_back(testing::cell_with(settings));
    world.measure(cells.back());
  }
  for (CellResult& cell : cells) {
    for (Metric& metric : cell.repeats.front().metrics) {
      if (metric.tag == "samples_per_second") metric.value *= samples_of_a_step / 32.0;
    }
    cell.metrics = cell.repeats.front().metrics;
  }
  return cells;
}

TEST(predictions, the_rate_counts_the_samples_that_steps_were_seen_to_have) {
  const std::vector<Candidate> candidates{{0, testing::settings_with(3, 2, true), 0.0}};
  for (const double samples : {32.0, 24.0}) {
    const auto predictions = predict_all(candidates, probed(samples), 2.0);
    ASSERT_TRUE(predictions.front());
    EXPECT_NEAR(predictions.front()->rate * predictions.front()->step_time, samples, 1e-6);
  }
}

TEST(predictions, there_is_none_where_nothing_makes_the_same_batches) {
  std::vector<Candidate> candidates{{0, testing::settings_with(3, 2, true), 0.0}};
  for (Setting& setting : candidates.front().settings) {
    if (setting.name == "format") setting.value = std::string("tar");
  }
  EXPECT_FALSE(predict_all(candidates, probed(32.0), 2.0).front());
}

}  // namespace
}  // namespace feedrate
