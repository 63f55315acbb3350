// SPDX-License-Identifier: Apache-2.0
#include "analysis/effects.h"

#include <cmath>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/analysis/rounds.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Factors {
  double workers = 1.0;
  double pin = 1.0;
  double pin_and_non_blocking = 1.0;
  double noise = 0.0;
};

// num_workers 0, 1, 2 by pin_memory by non_blocking. No cell has non_blocking=true with pageable
// memory, where it has no meaning.
RunResult factorial(const Factors& world, std::size_t rounds, std::uint64_t seed = 1) {
  RunResult run;
  RandomStream random(seed);
  for (std::int64_t workers = 0; workers < 3; ++workers) {
    for (const bool pin : {false, true}) {
      for (const bool non_blocking : {false, true}) {
        if (non_blocking && !pin) continue;
        CellResult& cell = run.cells.emplace_back();
        cell.index = run.cells.size() - 1;
        cell.settings = {
            {"num_workers", workers}, {"pin_memory", pin}, {"non_blocking", non_blocking}};
      }
    }
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    const double drift = 1.0 + static_cast<double>(round);  // common to all cells of a round
    for (CellResult& cell : run.cells) {
      const bool pin = text_of(cell.settings, "pin_memory") == "true";
      const bool both = text_of(cell.settings, "non_blocking") == "true";
      const double rate =
          1000.0 * drift *
          std::pow(world.workers, static_cast<double>(count_of(cell.settings, "num_workers"))) *
          (pin ? world.pin : 1.0) * (both ? world.pin_and_non_blocking : 1.0);
      add_start(cell, round, rate * std::exp(world.noise * random.normal()));
    }
  }
  return run;
}

const Effect& effect_of(const std::vector<Effect>& effects, const std::string& setting,
                        const std::string& value) {
  static const Effect none;
  for (const Effect& effect : effects) {
    if (effect.setting == setting && effect.value == value) return effect;
  }
  ADD_FAILURE() << "no effect of " << setting << '=' << value;
  return none;
}

TEST(Effects, are_exact_without_noise) {
  const auto effects = effects_of(factorial({1.5, 1.1, 1.2, 0.0}, 3));
  ASSERT_EQ(effects.size(), 4U);
  const Effect& one = effect_of(effects, "num_workers", "1");
  EXPECT_EQ(one.reference, "0");
  EXPECT_EQ(one.pairs, 3U);
  EXPECT_NEAR(one.gain.ratio, 1.5, 1e-9);
  EXPECT_NEAR(one.gain.low, 1.5, 1e-6);
  EXPECT_NEAR(one.gain.high, 1.5, 1e-6);
  EXPECT_NEAR(effect_of(effects, "num_workers", "2").gain.ratio, 2.25, 1e-9);
  // Three pairs with 1.1 and three with 1.1 * 1.2: their geometric mean.
  const Effect& pin = effect_of(effects, "pin_memory", "true");
  EXPECT_EQ(pin.pairs, 6U);
  EXPECT_NEAR(pin.gain.ratio, 1.1 * std::sqrt(1.2), 1e-9);
  const Effect& non_blocking = effect_of(effects, "non_blocking", "true");
  EXPECT_EQ(non_blocking.pairs, 3U);
  EXPECT_NEAR(non_blocking.gain.ratio, 1.2, 1e-9);
}

TEST(Effects, depend_on_another_setting_where_that_is_shown) {
  const auto effects = effects_of(factorial({1.5, 1.1, 1.2, 0.001}, 3));
  const Effect& pin = effect_of(effects, "pin_memory", "true");
  ASSERT_EQ(pin.interactions.size(), 1U);
  const Interaction& one = pin.interactions.front();
  EXPECT_EQ(one.setting, "non_blocking");
  ASSERT_EQ(one.effects.size(), 2U);
  EXPECT_EQ(one.effects[0].value, "false");
  EXPECT_NEAR(one.effects[0].gain.ratio, 1.1, 0.01);
  EXPECT_EQ(one.effects[1].value, "true");
  EXPECT_NEAR(one.effects[1].gain.ratio, 1.1 * 1.2, 0.01);
  EXPECT_NEAR(one.spread, 1.2, 0.01);
  EXPECT_THAT(effect_of(effects, "num_workers", "1").interactions, IsEmpty());
}

TEST(Effects, that_depend_on_another_setting_by_less_than_the_tolerance_say_nothing_of_it) {
  const auto effects = effects_of(factorial({1.5, 1.1, 1.01, 0.0}, 3));
  EXPECT_THAT(effect_of(effects, "pin_memory", "true").interactions, IsEmpty());
}

TEST(Effects, are_hardly_ever_said_to_depend_on_another_by_noise) {
  std::size_t runs = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ++runs;
    for (const Effect& effect : effects_of(factorial({1.5, 1.1, 1.0, 0.1}, 3, seed))) {
      if (effect.interactions.empty()) continue;
      ++found;
      break;
    }
  }
  EXPECT_LE(static_cast<double>(found) / static_cast<double>(runs), 0.08);
}

// A 95 % interval; 800 effects, half of them with interactions.
TEST(Effects, of_a_second_run_lie_within_the_interval) {
  std::size_t all = 0, within = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto first = effects_of(factorial({1.5, 1.1, 1.2, 0.1}, 3, 2 * seed));
    const auto second = effects_of(factorial({1.5, 1.1, 1.2, 0.1}, 3, 2 * seed + 1));
    for (std::size_t i = 0; i < first.size(); ++i) {
      ++all;
      within +=
          first[i].gain.low <= second[i].gain.ratio && second[i].gain.ratio <= first[i].gain.high
              ? 1
              : 0;
    }
  }
  const double share = static_cast<double>(within) / static_cast<double>(all);
  EXPECT_GE(share, 0.92);
  EXPECT_LE(share, 0.99);
}

TEST(Effects, of_single_starts_have_the_scatter_of_their_pairs) {
  const auto effects = effects_of(factorial({1.5, 1.1, 1.0, 0.05}, 1));
  const Effect& pin = effect_of(effects, "pin_memory", "true");
  EXPECT_LT(pin.gain.low, pin.gain.ratio);
  EXPECT_LT(pin.gain.high, 2.0 * pin.gain.ratio);
}

TEST(Effects, of_one_pair_measured_once_have_no_interval) {
  RunResult run;
  run.cells = {measured_cell(0, {{"num_workers", std::int64_t(0)}}, 100.0),
               measured_cell(1, {{"num_workers", std::int64_t(4)}}, 300.0)};
  const auto effects = effects_of(run);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_NEAR(effects[0].gain.ratio, 3.0, 1e-9);
  EXPECT_FALSE(has_interval(effects[0].gain));
}

TEST(Effects, pair_cells_with_those_where_another_setting_has_no_meaning) {
  RunResult run;
  run.cells = {
      measured_cell(0, {{"num_workers", std::int64_t(0)}, {"prefetch_factor", std::string()}}, 100),
      measured_cell(1, {{"num_workers", std::int64_t(2)}, {"prefetch_factor", std::int64_t(2)}},
                    200),
      measured_cell(2, {{"num_workers", std::int64_t(2)}, {"prefetch_factor", std::int64_t(8)}},
                    800)};
  const auto effects = effects_of(run);
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].pairs, 2U);
  EXPECT_NEAR(effects[0].gain.ratio, 4.0, 1e-9);  // sqrt(2 * 8)
  EXPECT_EQ(effects[1].setting, "prefetch_factor");
  EXPECT_NEAR(effects[1].gain.ratio, 4.0, 1e-9);
}

// Each cell has a setting without a meaning in the other: a folder has no hdf5_reads, the HDF5
// library no batched_reads.
TEST(Effects, pair_cells_that_lack_settings_of_each_other) {
  RunResult run;
  run.cells = {measured_cell(0,
                             {{"format", std::string("folder")},
                              {"hdf5_reads", std::string()},
                              {"batched_reads", false}},
                             100.0),
               measured_cell(1,
                             {{"format", std::string("hdf5")},
                              {"hdf5_reads", std::string("library")},
                              {"batched_reads", std::string()}},
                             120.0)};
  const auto effects = effects_of(run);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].setting, "format");
  EXPECT_NEAR(effects[0].gain.ratio, 1.2, 1e-9);
}

TEST(Effects, are_against_the_first_value_where_pytorch_has_no_default) {
  RunResult run;
  run.cells = {measured_cell(0, {{"format", std::string("tar")}}, 100.0),
               measured_cell(1, {{"format", std::string("folder")}}, 150.0)};
  const auto effects = effects_of(run);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].value, "folder");
  EXPECT_EQ(effects[0].reference, "tar");
}

TEST(Effects, are_against_the_first_value_of_the_plan_not_of_what_was_measured) {
  RunResult run;
  const auto cell = [&](const char* format, std::int64_t workers, double rate) {
    run.cells.push_back(measured_cell(
        run.cells.size(), {{"num_workers", workers}, {"format", std::string(format)}}, rate));
  };
  cell("folder", 0, 100.0);
  cell("tar", 0, 120.0);
  cell("folder", 2, 100.0);
  cell("tar", 2, 110.0);
  run.cells[0].outcome = Outcome::kPending;
  const auto effects = effects_of(run);
  EXPECT_EQ(effect_of(effects, "format", "tar").reference, "folder");
}

TEST(Effects, leave_out_reference_cells_and_cells_without_a_pair) {
  RunResult run = factorial({1.5, 1.1, 1.0, 0.0}, 3);
  for (CellResult& cell : run.cells) cell.settings.push_back({"format", std::string("folder")});
  run.cells.push_back(measured_cell(run.cells.size(),
                                    {{"num_workers", std::int64_t(7)},
                                     {"pin_memory", true},
                                     {"non_blocking", true},
                                     {"format", std::string("folder")},
                                     {"loader", std::string("cached")}},
                                    9e9));
  run.cells.push_back(measured_cell(run.cells.size(),
                                    {{"num_workers", std::int64_t(9)},
                                     {"pin_memory", true},
                                     {"non_blocking", true},
                                     {"format", std::string("tar")}},
                                    9e9));
  EXPECT_EQ(effects_of(run).size(), 4U);
}

TEST(Effects, are_none_of_one_cell_or_none) {
  EXPECT_THAT(effects_of(RunResult{}), IsEmpty());
  RunResult run;
  run.cells = {measured_cell(0, {{"num_workers", std::int64_t(0)}}, 100.0)};
  EXPECT_THAT(effects_of(run), IsEmpty());
}

}  // namespace
}  // namespace feedrate
