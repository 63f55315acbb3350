// SPDX-License-Identifier: Apache-2.0
// Decisions about worlds whose truth is known: no clock, no loader, fixed seeds.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/decision.h"
#include "core/random.h"
#include "tests/analysis/rounds.h"

namespace feedrate {
namespace {

constexpr double kTolerance = 0.02;

enum class Noise { kNormal, kUnequal, kDrift, kBursts };

struct World {
  std::vector<double> truth;  // Logarithms of rates.
  std::vector<double> scatter;
  Noise noise = Noise::kNormal;
  double deviation = 0.0;

  // Half of the cells are near the best, as with a GPU limit; the others are up to 40 % slower.
  World(std::size_t cells, Noise kind, double deviation_of_all, RandomStream& random)
      : noise(kind), deviation(deviation_of_all) {
    for (std::size_t i = 0; i < cells; ++i) {
      truth.push_back(-(i % 2 == 0 ? random.uniform(0.0, 0.04) : random.uniform(0.04, 0.5)));
      const bool is_unequal = kind == Noise::kUnequal;
      scatter.push_back(deviation * (is_unequal ? std::exp(0.6 * random.normal()) : 1.0));
    }
  }

  [[nodiscard]] double rate(std::size_t cell, double when, RandomStream& random) const {
    double value = truth[cell] + scatter[cell] * random.normal();
    if (noise == Noise::kDrift) value -= deviation * when;
    if (noise == Noise::kBursts && random.uniform() < 0.15) value -= random.uniform(0.05, 0.7);
    return 1000.0 * std::exp(value);
  }

  [[nodiscard]] double loss(std::size_t cell) const {
    return -std::expm1(truth[cell] - *std::max_element(truth.begin(), truth.end()));
  }
};

class Sweep {
 public:
  Sweep(const World& world, RandomStream& random) : world_(world), random_(random) {
    for (std::size_t i = 0; i < world.truth.size(); ++i) {
      CellResult& cell = run_.cells.emplace_back();
      cell.index = i;
      cell.settings = {{"num_workers", static_cast<std::int64_t>(i)}};
    }
  }

  void measure(std::vector<std::size_t> cells) {
    for (std::size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[random_.below(i)]);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double when =
          static_cast<double>(round_) + static_cast<double>(i) / static_cast<double>(cells.size());
      add_start(run_.cells[cells[i]], round_, world_.rate(cells[i], when, random_));
    }
    ++round_;
  }

  void measure_all(std::size_t rounds) {
    std::vector<std::size_t> cells;
    for (const CellResult& cell : run_.cells) cells.push_back(cell.index);
    for (std::size_t i = 0; i < rounds; ++i) measure(cells);
  }

  void measure_contenders() {
    measure_all(kLeastRounds);
    while (round_ < kMostRounds) {
      const std::vector<std::size_t> cells = contenders(run_);
      if (cells.empty()) break;
      measure(cells);
    }
  }

  [[nodiscard]] Proposal answer() const { return decide(run_).front(); }
  [[nodiscard]] std::size_t rounds() const { return round_; }

  [[nodiscard]] std::size_t fastest_of_the_table() const {
    const auto rate = [](const CellResult& cell) { return cell.metrics.back().value; };
    return static_cast<std::size_t>(
        std::max_element(run_.cells.begin(), run_.cells.end(),
                         [&](const auto& a, const auto& b) { return rate(a) < rate(b); }) -
        run_.cells.begin());
  }

 private:
  const World& world_;
  RandomStream& random_;
  RunResult run_;
  std::size_t round_ = 0;
};

struct Tally {
  std::size_t worlds = 0, stated = 0, wrong = 0, rounds = 0;
  double regret = 0.0, regret_of_fastest = 0.0;

  void add(const World& world, const Sweep& sweep) {
    const Proposal answer = sweep.answer();
    const double loss = world.loss(answer.proposed->index);
    ++worlds;
    stated += answer.is_shown() ? 1 : 0;
    wrong += answer.is_shown() && loss > kTolerance ? 1 : 0;
    regret += loss;
    regret_of_fastest += world.loss(sweep.fastest_of_the_table());
    rounds += sweep.rounds();
  }

  void print(const std::string& what) const {
    const auto count = static_cast<double>(worlds);
    std::cout << fmt::format(
        "{}: {} of {} stated, {} of them wrong; mean regret {:.2f} %, of the fastest {:.2f} %; "
        "{:.1f} "
        "rounds\n",
        what, stated, worlds, wrong, 100.0 * regret / count, 100.0 * regret_of_fastest / count,
        static_cast<double>(rounds) / count);
    EXPECT_LE(regret / count, regret_of_fastest / count + kTolerance) << what;
  }

  void add(const Tally& other) {
    worlds += other.worlds;
    stated += other.stated;
    wrong += other.wrong;
  }

  void expect_that_something_is_stated() const { EXPECT_GT(stated, worlds / 20); }

  void expect_that_what_is_stated_holds() const {
    EXPECT_LE(static_cast<double>(wrong), kMostWrong * static_cast<double>(stated));
  }

  // If few statements are made, one wrong of three refutes nothing.
  void expect_that_no_more_is_wrong_than_by_chance(const std::string& what) const {
    EXPECT_GT(chance_of_as_many(), 0.01) << what;
  }

 private:
  static constexpr double kMostWrong = 0.05;

  // The probability of `wrong` or more errors if each has kMostWrong: the tail of a binomial
  // distribution.
  [[nodiscard]] double chance_of_as_many() const {
    double of_fewer = 0.0;
    double of_these = std::pow(1.0 - kMostWrong, static_cast<double>(stated));
    for (std::size_t i = 0; i < wrong; ++i) {
      of_fewer += of_these;
      of_these *= static_cast<double>(stated - i) / static_cast<double>(i + 1) * kMostWrong /
                  (1.0 - kMostWrong);
    }
    return 1.0 - of_fewer;
  }
};

constexpr const char* name_of(Noise noise) {
  switch (noise) {
    case Noise::kNormal:
      return "normal";
    case Noise::kUnequal:
      return "unequal";
    case Noise::kDrift:
      return "drift";
    case Noise::kBursts:
      return "bursts";
  }
  return "";
}

constexpr std::array kNoises{Noise::kNormal, Noise::kUnequal, Noise::kDrift, Noise::kBursts};

Tally fixed_rounds(Noise noise) {
  RandomStream random(20261123);
  Tally tally;
  for (const double deviation : {0.01, 0.03, 0.1, 0.3}) {
    for (const std::size_t cells : {4U, 12U, 40U, 200U}) {
      for (const std::size_t rounds : {1U, 2U, 3U, 6U, 12U}) {
        for (std::size_t i = 0; i < (cells > 100 ? 3U : 12U); ++i) {
          const World world(cells, noise, deviation, random);
          Sweep sweep(world, random);
          sweep.measure_all(rounds);
          tally.add(world, sweep);
        }
      }
    }
  }
  return tally;
}

Tally as_many_as_it_took(Noise noise, double deviation) {
  RandomStream random(20261124);
  Tally tally;
  for (std::size_t i = 0; i < 60; ++i) {
    const World world(12, noise, deviation, random);
    Sweep sweep(world, random);
    sweep.measure_contenders();
    tally.add(world, sweep);
  }
  return tally;
}

TEST(DecisionWorlds, keep_what_is_stated_in_any_number_of_rounds) {
  Tally all;
  for (const Noise noise : kNoises) {
    const Tally tally = fixed_rounds(noise);
    tally.print(name_of(noise));
    tally.expect_that_no_more_is_wrong_than_by_chance(name_of(noise));
    all.add(tally);
  }
  all.expect_that_what_is_stated_holds();
  all.expect_that_something_is_stated();
}

TEST(DecisionWorlds, keep_what_is_stated_after_as_many_rounds_as_it_took) {
  Tally all;
  for (const Noise noise : kNoises) {
    Tally of_noise;
    for (const double deviation : {0.003, 0.01, 0.03, 0.1, 0.3}) {
      const Tally tally = as_many_as_it_took(noise, deviation);
      tally.print(fmt::format("{}, auto, deviation {} %", name_of(noise), 100.0 * deviation));
      of_noise.add(tally);
    }
    of_noise.expect_that_no_more_is_wrong_than_by_chance(name_of(noise));
    all.add(of_noise);
  }
  all.expect_that_what_is_stated_holds();
  all.expect_that_something_is_stated();
}

}  // namespace
}  // namespace feedrate
