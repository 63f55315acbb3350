// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/ranking.h"

#include <optional>
#include <utility>
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

TEST(cheaper_candidate, has_fewer_workers_then_less_code_memory_and_a_lower_number) {
  const std::pair<Candidate, Candidate> cheaper_first[] = {
      {candidate(1, 1, "side", false, 9e6), candidate(0, 2, "same", true, 1e6)},
      {candidate(1, 2, "same", false, 9e6), candidate(0, 2, "side", true, 1e6)},
      {candidate(1, 2, "same", false, 1e6), candidate(0, 2, "same", true, 9e6)},
      {candidate(1, 2, "same", true, 1e6), candidate(0, 2, "same", false, 1e6)},
      {candidate(0, 2, "same", true, 1e6), candidate(1, 2, "same", true, 1e6)}};
  for (const auto& [cheaper, other] : cheaper_first) {
    EXPECT_TRUE(is_cheaper(cheaper, other));
    EXPECT_FALSE(is_cheaper(other, cheaper));
  }
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

TEST(Ranking, converts_the_dataset_only_for_a_gain_that_was_measured) {
  using Index = std::optional<std::size_t>;
  struct Case {
    const char* gain;
    std::vector<std::vector<double>> starts;
    double predicted;
    std::size_t chosen;
    Index conversion;
  };
  for (const Case& c :
       {Case{"predicted", {{1000, 1005, 995}, {}}, 1100.0, 0, Index(1)},
        Case{"within noise", {{1000, 1200, 850}, {1090, 900, 1250}}, 1100.0, 0, Index(1)},
        Case{"tolerated", {{1000, 1000.1, 999.9}, {1015, 1015.1, 1014.9}}, 1015.0, 0, {}},
        Case{"measured", {{1000, 1005, 995}, {1500, 1510, 1490}}, 1500.0, 1, {}}}) {
    const auto ranking = rank_formats(c.starts, {1000.0, c.predicted});
    ASSERT_TRUE(ranking) << c.gain;
    EXPECT_EQ(ranking->chosen, c.chosen) << c.gain;
    EXPECT_EQ(ranking->conversion, c.conversion) << c.gain;
    EXPECT_EQ(ranking->runner_up, Index(1 - c.chosen)) << c.gain;
  }
}

}  // namespace
}  // namespace feedrate
