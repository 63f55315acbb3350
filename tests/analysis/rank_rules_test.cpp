// SPDX-License-Identifier: Apache-2.0
#include "analysis/rank_rules.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/columns.h"

namespace feedrate {
namespace {

RankFigures rank(std::size_t number, std::vector<Metric> metrics) {
  RankFigures figures;
  figures.rank = number;
  figures.metrics = std::move(metrics);
  return figures;
}

double combined(const std::vector<RankFigures>& ranks, const char* tag) {
  const std::vector<Metric> metrics = combine_ranks(ranks);
  const double* const value = find_metric(metrics, tag);
  return value ? *value : std::nan("");
}

TEST(RankRules, rates_and_memory_are_sums) {
  const std::vector<RankFigures> ranks{rank(0, {{"samples_per_second", 100}, {"memory", 5}}),
                                       rank(1, {{"samples_per_second", 80}, {"memory", 7}})};
  EXPECT_EQ(combined(ranks, "samples_per_second"), 180);
  EXPECT_EQ(combined(ranks, "memory"), 12);
}

TEST(RankRules, shares_are_means_and_peaks_the_largest) {
  const std::vector<RankFigures> ranks{rank(0, {{"au", 0.5}, {"gpu_power_max", 300}}),
                                       rank(1, {{"au", 0.7}, {"gpu_power_max", 280}})};
  EXPECT_NEAR(combined(ranks, "au"), 0.6, 1e-12);
  EXPECT_EQ(combined(ranks, "gpu_power_max"), 300);
}

// All steps take equally long with an all-reduce; the slowest rank waits least in it.
TEST(RankRules, the_slowest_rank_waits_least_for_others) {
  const auto step = [](double loading, double reduce) {
    return std::vector<Metric>{{"loading_time", loading},
                               {"training_time", 0.10 - loading},
                               {"step_time", 0.10},
                               {"step_time_p99", 0.10 + loading},
                               {"all_reduce_time", reduce}};
  };
  const std::vector<RankFigures> ranks{rank(0, step(0.02, 0.05)), rank(1, step(0.06, 0.01)),
                                       rank(2, step(0.01, 0.06))};
  EXPECT_EQ(combined(ranks, "slowest_rank"), 1);
  EXPECT_NEAR(combined(ranks, "straggler"), 0.09 / 0.05 - 1, 1e-12);
  EXPECT_EQ(combined(ranks, "loading_time"), 0.06);
  EXPECT_EQ(combined(ranks, "step_time_p99"), 0.16);
  EXPECT_EQ(combined(ranks, "all_reduce_time"), 0.01);
}

TEST(RankRules, what_no_rank_has_is_not_made_up) {
  EXPECT_TRUE(std::isnan(combined({rank(0, {{"step_time", 1}})}, "all_reduce_time")));
}

TEST(RankRules, what_is_of_all_together_is_not_combined) {
  EXPECT_TRUE(std::isnan(combined({rank(0, {{"repeats", 3}, {"stall", 0.5}})}, "repeats")));
  EXPECT_EQ(rule_name(across_ranks("stall")), "");
}

TEST(RankRules, are_in_the_dictionary_of_columns) {
  const std::string page = columns_markdown();
  EXPECT_NE(page.find("\n- `samples_per_second` (samples/s, table, sum): "), std::string::npos);
  EXPECT_NE(page.find("\n- `step_time` (s, slowest): "), std::string::npos);
}

}  // namespace
}  // namespace feedrate
