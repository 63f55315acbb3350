// SPDX-License-Identifier: Apache-2.0
// Tunes that explore with one loader and verify with another, whose rates are the truth.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "analysis/tuner/predictions.h"
#include "analysis/tuner/tuner.h"
#include "analysis/tuner/work_groups.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using testing::SyntheticWorld;

constexpr double kReplayedCores = 4.0;

std::vector<Candidate> transferred_grid() {
  return testing::candidates_of(testing::small_grid({0, 1, 2, 3, 4, 6, 8}));
}

CellResult measured(const Settings& settings, double rate) {
  CellResult cell = testing::cell_with(settings);
  cell.repeats.push_back({.metrics = {{"samples_per_second", rate}}, .series = {}});
  cell.outcome = Outcome::kOk;
  return cell;
}

TEST(Transferred, says_nothing_before_the_other_loader_was_measured) {
  const std::vector<Candidate> all = transferred_grid();
  const Predictor predict = transferred({Prediction{100.0, 1.0}});
  EXPECT_FALSE(predict(std::span(all).first(1), {})[0]);
}

TEST(Transferred, moves_all_rates_by_what_the_measured_ones_differ_in_common) {
  const std::vector<Candidate> all = transferred_grid();
  const auto three = std::span(all).first(3);
  const Predictor predict =
      transferred({Prediction{100.0, 1.0}, Prediction{200.0, 0.5}, std::nullopt});
  const std::vector<CellResult> cells{measured(three[0].settings, 80.0)};
  const auto predictions = predict(three, cells);
  EXPECT_DOUBLE_EQ(predictions[0]->rate, 80.0);
  EXPECT_DOUBLE_EQ(predictions[1]->rate, 160.0);
  EXPECT_DOUBLE_EQ(predictions[1]->step_time, 0.625);
  EXPECT_FALSE(predictions[2]);
}

// Follows a tune with PyTorch; here the cells of both loaders have the same settings, in two lists.
class TwoLoaders {
 public:
  // The other loader is about 30 % slower; each setting deviates by `bias`.
  TwoLoaders(double bias, std::uint64_t seed)
      : explored_(costs(1.0), {.count = kReplayedCores}, 0.02, 0.0, seed),
        real_(costs(1.4), {.count = kReplayedCores}, 0.02, bias, seed + 1000) {}

  void run(double budget) {
    TunerOptions options;
    options.cores = kReplayedCores;
    Tuner explorer(transferred_grid(),
                   probes_for(transferred_grid(), kReplayedCores, testing::canonicalize), options);
    pursue(explorer, explored_, 0.4 * budget);
    options.goals.present = 0;
    options.predict = transferred(explorer.predictions());
    const std::size_t chosen = explorer.decision()->recommended.candidate;
    finals_.emplace(transferred_grid(), std::vector<Settings>{transferred_grid()[chosen].settings},
                    options);
    real_starts_ = pursue(*finals_, real_, 0.6 * budget);
  }

  [[nodiscard]] Decision decision() const { return *finals_->decision(); }
  [[nodiscard]] std::size_t real_starts() const { return real_starts_; }
  [[nodiscard]] double regret() const {
    double best = 0.0;
    for (const Candidate& one : transferred_grid())
      best = std::max(best, real_.true_rate(one.settings));
    return 1.0 -
           real_.true_rate(transferred_grid()[decision().recommended.candidate].settings) / best;
  }

 private:
  static BatchCosts costs(double times) {
    BatchCosts costs = testing::some_costs(0.004);
    for (double* one : {&costs.inline_load, &costs.worker_load, &costs.dispatch, &costs.receive}) {
      *one *= times;
    }
    return costs;
  }

  static std::size_t pursue(Tuner& tuner, SyntheticWorld& world, double starts) {
    std::vector<CellResult> cells;
    std::size_t asked = 0;
    while (const auto request = tuner.next(starts)) {
      const auto known = std::find_if(cells.begin(), cells.end(), [&](const CellResult& cell) {
        return cell.settings == request->settings;
      });
      CellResult& cell =
          known != cells.end() ? *known : cells.emplace_back(testing::cell_with(request->settings));
      world.measure(cell);
      cell.repeats.back().round = request->round;
      tuner.add(cell, 1.0);
      starts -= 1.0;
      ++asked;
    }
    return asked;
  }

  SyntheticWorld explored_, real_;
  std::optional<Tuner> finals_;
  std::size_t real_starts_ = 0;
};

TEST(Transferred, finds_the_best_of_the_other_loader_by_measuring_few_of_it) {
  TwoLoaders tune(0.0, 1);
  tune.run(60.0);
  EXPECT_LE(tune.regret(), 0.02);
  EXPECT_LE(tune.decision().measured, transferred_grid().size() / 3);
}

TEST(TransferredConfidence, is_kept) {
  for (const double bias : {0.03, 0.10}) {
    constexpr std::size_t kTunes = 20;
    std::size_t sure = 0, kept = 0, within_loss = 0;
    double regret = 0.0, starts = 0.0;
    for (std::size_t seed = 0; seed < kTunes; ++seed) {
      TwoLoaders tune(bias, seed);
      tune.run(60.0);
      regret += tune.regret() / kTunes;
      starts += static_cast<double>(tune.real_starts()) / kTunes;
      if (tune.regret() <= tune.decision().loss) ++within_loss;
      if (tune.decision().confidence < 0.95) continue;
      ++sure;
      if (tune.regret() <= tune.decision().tolerance) ++kept;
    }
    std::printf(
        "bias %.2f: %zu of %zu sure, %zu kept; %zu lose no more than stated; mean regret "
        "%.4f, %.1f starts of the other loader\n",
        bias, sure, kTunes, kept, within_loss, regret, starts);
    EXPECT_GE(static_cast<double>(kept), 0.95 * static_cast<double>(sure));
    EXPECT_GE(static_cast<double>(within_loss), 0.95 * static_cast<double>(kTunes));
  }
}

}  // namespace
}  // namespace feedrate
