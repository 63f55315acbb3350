// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/confidence.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

class Candidates {
 public:
  void add(std::int64_t workers, double predicted, std::vector<double> rates = {},
           double limit = std::numeric_limits<double>::infinity()) {
    settings_.push_back(testing::settings_with(workers, 2, false));
    for (double& rate : rates) rate = std::log(rate);
    evidence_.push_back({nullptr, std::log(predicted), std::move(rates), std::log(limit)});
  }
  std::span<const RateEvidence> evidence() {
    for (std::size_t i = 0; i < evidence_.size(); ++i) evidence_[i].settings = &settings_[i];
    return evidence_;
  }

 private:
  std::vector<Settings> settings_;
  std::vector<RateEvidence> evidence_;
};

RateDeviations known(double model, double noise) { return {model, noise, 1000.0, 1000.0}; }

double within(Candidates& candidates, const RateDeviations& deviations, double tolerance = 0.02) {
  const auto evidence = candidates.evidence();
  return confidence_of(RateBelief(evidence, deviations), evidence.size(), 0, {tolerance}, 1).within;
}

TEST(belief, a_measurement_moves_its_candidate_to_it) {
  Candidates candidates;
  candidates.add(2, 100.0, {110.0, 110.0, 110.0, 110.0});
  const RateBelief belief(candidates.evidence(), known(0.05, 0.001));
  EXPECT_NEAR(std::exp(belief.mean(0)), 110.0, 0.1);
  EXPECT_LT(belief.deviation(0), 0.001);
}

// The correlation of 2 and 4 workers: log2(5/3) doublings, half of the variance is shared: 0.5 ·
// e^(-0.737/2) = 0.346 of log(1.1).
TEST(belief, a_measurement_moves_the_neighbours_part_of_the_way) {
  Candidates candidates;
  candidates.add(2, 100.0, {110.0, 110.0});
  candidates.add(4, 100.0);
  const RateBelief belief(candidates.evidence(), known(0.05, 1e-6));
  EXPECT_NEAR(belief.mean(1) - std::log(100.0), 0.346 * std::log(1.1), 1e-4);
  EXPECT_LT(belief.deviation(1), 0.05);
}

TEST(belief, what_acts_at_the_start_of_an_epoch_does_not_change_the_rate) {
  const Settings a{{"num_workers", std::int64_t{2}}, {"persistent_workers", false}};
  const Settings b{{"num_workers", std::int64_t{2}}, {"persistent_workers", true}};
  const Settings c{{"num_workers", std::int64_t{3}}, {"persistent_workers", true}};
  EXPECT_EQ(similarity(rate_features(a), rate_features(b)), 1.0);
  EXPECT_LT(similarity(rate_features(a), rate_features(c)), 0.5);
}

TEST(belief, no_rate_is_above_the_mock_loaders) {
  Candidates candidates;
  candidates.add(2, 120.0, {}, 100.0);
  const RateBelief belief(candidates.evidence(), known(0.05, 0.001));
  EXPECT_NEAR(std::exp(belief.mean(0)), 100.0, 1e-9);
}

// One rival with the same expected rate and an error of 5 %: it is more than 2.02 % (the logarithm
// of 1/0.98) faster with the probability of a normal beyond 0.0202/0.05, 34 %.
TEST(confidence, is_the_probability_that_no_rival_is_faster_by_more_than_the_tolerance) {
  Candidates candidates;
  candidates.add(1, 100.0, {100.0, 100.0});
  candidates.add(4095, 100.0);
  // Twelve doublings away: a correlation of 0.5 · e^-5.5 = 0.002.
  EXPECT_NEAR(within(candidates, known(0.05, 1e-6)), 1.0 - 0.343, 0.03);
}

TEST(confidence, is_certain_where_all_is_measured_well) {
  Candidates candidates;
  candidates.add(1, 100.0, {100.0, 100.0});
  candidates.add(2, 100.0, {101.0, 101.0});
  EXPECT_GT(within(candidates, known(0.05, 0.001)), 0.999);
  EXPECT_LT(within(candidates, known(0.05, 0.001), 0.001), 0.05);
}

TEST(confidence, the_mock_loaders_rate_bounds_what_was_not_measured) {
  Candidates candidates;
  candidates.add(1, 100.0, {100.0, 100.0}, 101.0);
  candidates.add(64, 100.0, {}, 101.0);
  EXPECT_GT(within(candidates, known(0.05, 0.001)), 0.999);
}

TEST(confidence, names_who_threatens_it) {
  Candidates candidates;
  candidates.add(1, 100.0, {100.0, 100.0});
  candidates.add(2, 80.0);
  candidates.add(3, 103.0);
  const auto evidence = candidates.evidence();
  const Confidence confidence =
      confidence_of(RateBelief(evidence, known(0.02, 0.001)), evidence.size(), 0, {0.02}, 1);
  EXPECT_GT(confidence.threats[2], 0.3);
  EXPECT_LT(confidence.threats[1], 0.01);
  EXPECT_EQ(confidence.threats[0], 0.0);
}

TEST(deviations, are_a_guess_where_nothing_was_measured) {
  const RateDeviations deviations = estimate_deviations({}, {});
  EXPECT_DOUBLE_EQ(deviations.model, 0.05);
  EXPECT_DOUBLE_EQ(deviations.noise, 0.03);
  EXPECT_DOUBLE_EQ(deviations.noise_freedom, 2.0);
}

// Two guesses of 0.05 and two errors of 0.1 with noise of 0.03 over one start and over nine:
// √((2·0.0025 + 0.01 - 0.0009 + 0.01 - 0.0001) / 4) = 0.0775.
TEST(deviations, pool_the_guess_with_the_errors_less_their_noise) {
  const std::vector<PredictionError> errors{{0.1, 1}, {-0.1, 9}};
  EXPECT_NEAR(estimate_deviations(errors, {}).model, 0.0775, 1e-4);
}

// The squares of starts at ±0.04 about their mean sum to 0.0032 with one degree of freedom:
// √((2·0.0009 + 0.0032) / 3) = 0.0408.
TEST(deviations, pool_the_noise_of_the_starts) {
  const RateEvidence one{nullptr, 0.0, {0.04, -0.04}, 0.0};
  const RateDeviations deviations = estimate_deviations({}, {&one, 1});
  EXPECT_NEAR(deviations.noise, 0.0408, 1e-4);
  EXPECT_DOUBLE_EQ(deviations.noise_freedom, 3.0);
}

// One rate is known, the other is normal with the same mean: it is higher by at most 1.645
// deviations with 95 %, a loss of 1 - e^(-1.645 · 0.05) = 7.9 %.
TEST(confidence, says_what_is_lost_at_most) {
  Candidates candidates;
  candidates.add(2, 100.0, {100.0, 100.0, 100.0, 100.0});
  candidates.add(64, 100.0);
  const auto evidence = candidates.evidence();
  const RateBelief belief(evidence, known(0.05, 1e-6));
  EXPECT_NEAR(confidence_of(belief, 2, 0, {0.02, 0.95}, 1).loss, 0.079, 0.008);
  EXPECT_EQ(confidence_of(belief, 2, 0, {0.02, 0.40}, 1).loss, 0.0);
}

}  // namespace
}  // namespace feedrate
