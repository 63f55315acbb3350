// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/ranking.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Candidate candidate(std::size_t cell, std::int64_t workers, const char* stream, bool persistent,
                    double memory) {
  return {cell,
          {{"num_workers", workers},
           {"copy_stream", std::string(stream)},
           {"persistent_workers", persistent}},
          memory};
}

TEST(cheaper_candidate, has_fewer_workers_before_all_else) {
  EXPECT_TRUE(is_cheaper(candidate(1, 1, "side", false, 9e6), candidate(0, 2, "same", true, 1e6)));
}

TEST(cheaper_candidate, has_less_code_before_less_memory) {
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", false, 9e6), candidate(0, 2, "side", true, 1e6)));
}

TEST(cheaper_candidate, has_less_memory_before_workers_that_persist) {
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", false, 1e6), candidate(0, 2, "same", true, 9e6)));
  EXPECT_TRUE(is_cheaper(candidate(1, 2, "same", true, 1e6), candidate(0, 2, "same", false, 1e6)));
}

TEST(cheaper_candidate, is_earlier_in_the_plan_else) {
  EXPECT_TRUE(is_cheaper(candidate(0, 2, "same", true, 1e6), candidate(1, 2, "same", true, 1e6)));
  EXPECT_FALSE(is_cheaper(candidate(1, 2, "same", true, 1e6), candidate(0, 2, "same", true, 1e6)));
}

std::optional<Ranking> rank_formats(const std::vector<std::vector<double>>& starts,
                                    const std::vector<double>& predicted) {
  const char* const formats[] = {"folder", "tar", "hdf5"};
  std::vector<Candidate> candidates;
  std::vector<CellResult> known;
  std::vector<std::optional<Prediction>> predictions;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    candidates.push_back(
        {i, {{"num_workers", std::int64_t(2)}, {"format", std::string(formats[i])}}, 1e6});
    Prediction prediction;
    prediction.rate = predicted[i];
    prediction.trainer_limit = 1e9;
    predictions.emplace_back(prediction);
    if (starts[i].empty()) continue;
    CellResult& cell = known.emplace_back();
    cell.settings = candidates.back().settings;
    cell.outcome = Outcome::kOk;
    for (const double rate : starts[i]) {
      cell.repeats.push_back({.metrics = {{"samples_per_second", rate}}});
    }
  }
  return rank_candidates(candidates, known, predictions, {}, TuneGoals{});
}

TEST(Ranking, converts_nothing_for_a_gain_that_is_only_predicted) {
  const auto ranking = rank_formats({{1000, 1005, 995}, {}}, {1000.0, 1100.0});
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->chosen, 0U);
  EXPECT_EQ(ranking->conversion, std::optional<std::size_t>(1));
  EXPECT_EQ(ranking->runner_up, std::optional<std::size_t>(1));
}

TEST(Ranking, converts_nothing_for_a_gain_within_the_noise) {
  const auto ranking = rank_formats({{1000, 1200, 850}, {1090, 900, 1250}}, {1000.0, 1100.0});
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->chosen, 0U);
}

TEST(Ranking, converts_nothing_for_a_gain_within_the_tolerance) {
  const auto ranking =
      rank_formats({{1000, 1000.1, 999.9}, {1015, 1015.1, 1014.9}}, {1000.0, 1015.0});
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->chosen, 0U);
  EXPECT_FALSE(ranking->conversion);
}

TEST(Ranking, converts_the_dataset_for_a_gain_that_was_measured) {
  const auto ranking = rank_formats({{1000, 1005, 995}, {1500, 1510, 1490}}, {1000.0, 1500.0});
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->chosen, 1U);
  EXPECT_FALSE(ranking->conversion);
  EXPECT_EQ(ranking->runner_up, std::optional<std::size_t>(0));
}

}  // namespace
}  // namespace feedrate
