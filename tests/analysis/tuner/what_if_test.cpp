// SPDX-License-Identifier: Apache-2.0
// Compares forecasts with a synthetic machine, whose changed world is known.
#include "analysis/tuner/what_if.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/decision.h"
#include "analysis/noise.h"
#include "analysis/tuner/settings.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using testing::some_costs;
using testing::SyntheticWorld;
using testing::with_mock;

constexpr double kWhatIfCores = 2.0;

Settings in_cache(Settings settings, const char* state) {
  settings.push_back({"cache", std::string(state)});
  return settings;
}

class Recorded {
 public:
  void add(SyntheticWorld& world, const Settings& settings) {
    CellResult& cell = run.cells.emplace_back(testing::cell_with(settings));
    cell.index = run.cells.size() - 1;
    world.measure(cell);
  }

  RunResult run;
};

RunResult recorded(const BatchCosts& costs, double deviation = 0.0) {
  SyntheticWorld world(costs, {.count = kWhatIfCores}, deviation, 0.0, 7);
  Recorded recorded;
  for (const std::int64_t workers : {0, 1, 4}) {
    recorded.add(world, with_mock(testing::settings_with(workers, 2, false), "trainer", "discard"));
  }
  for (const bool pinned : {false, true}) {
    recorded.add(world, with_mock(testing::settings_with(0, 2, pinned), "loader", "cached"));
  }
  for (const Settings& settings : testing::small_grid({0, 1, 2, 3, 4})) {
    recorded.add(world, settings);
  }
  return recorded.run;
}

double truth(BatchCosts costs, double cores, const Settings& settings) {
  return batch_size_of(settings) /
         predict({std::move(costs), {.count = cores}}, loop_settings(settings)).step_time;
}

std::vector<Situation> situations_in(const RunResult& run, const World& world = {}) {
  return what_if(run, kWhatIfCores, {&world, 1});
}

Answer answer_in(const RunResult& run, const World& world = {}) {
  return situations_in(run, world).at(0).answers.at(0);
}

TEST(what_if, nothing_changes_where_nothing_is_changed) {
  const RunResult run = recorded(some_costs(0.010), 0.02);
  const auto situations = situations_in(run);
  ASSERT_EQ(situations.size(), 1U);
  const Answer& answer = situations[0].answers.at(0);
  EXPECT_EQ(answer.forecasts.size(), 26U);
  for (const Forecast& one : answer.forecasts) EXPECT_DOUBLE_EQ(one.then, one.today);
  EXPECT_NEAR(answer.gain(), 0.0, 1e-12);
}

TEST(what_if, a_faster_gpu_is_predicted_correctly) {
  BatchCosts faster = some_costs(0.010);
  faster.compute /= 2.0;
  const RunResult run = recorded(some_costs(0.010));
  for (const Forecast& one : answer_in(run, {.gpu_speed = 2.0}).forecasts) {
    EXPECT_NEAR(one.then / truth(faster, kWhatIfCores, one.settings), 1.0, 0.06);
  }
}

// Sixteen workers that wait for storage keep the GPU busy on two cores; four were probed.
RunResult recorded_waiting(const BatchCosts& costs) {
  SyntheticWorld world(costs, {.count = kWhatIfCores}, 0.0, 0.0, 7);
  Recorded recorded;
  for (const std::int64_t workers : {0, 1, 4}) {
    recorded.add(world, with_mock(testing::settings_with(workers, 2, false), "trainer", "discard"));
  }
  recorded.add(world, with_mock(testing::settings_with(0, 2, false), "loader", "cached"));
  for (const std::int64_t workers : {0, 1, 4, 16}) {
    recorded.add(world, testing::settings_with(workers, 2, false));
  }
  return recorded.run;
}

TEST(what_if, a_faster_gpu_gains_where_waiting_workers_keep_up) {
  BatchCosts costs = some_costs(0.0);
  costs.inline_load = costs.worker_load = 0.060;
  costs.cpu_share = 0.02;
  costs.compute = 0.012;
  const RunResult run = recorded_waiting(costs);
  const Answer answer = answer_in(run, {.gpu_speed = 2.0});
  BatchCosts faster = costs;
  faster.compute /= 2.0;
  const Settings& best = answer.forecasts[answer.best_then].settings;
  EXPECT_EQ(loop_settings(best).num_workers, 16U);
  const double real = truth(faster, kWhatIfCores, best) / truth(costs, kWhatIfCores, best) - 1.0;
  ASSERT_GT(real, 0.4);
  EXPECT_NEAR(answer.gain(), real, 0.1);
  EXPECT_EQ(answer.extrapolated_beyond, 4U);
}

TEST(what_if, takes_what_its_tune_recommends_for_the_best_today) {
  RunResult run = recorded(some_costs(0.010), 0.02);
  const World worlds[] = {{}, {.gpu_speed = 2.0}};
  const Settings recommended = testing::settings_with(3, 4, true);
  run.recommended = Recommended{.settings = recommended};
  const auto situations = what_if(run, kWhatIfCores, worlds);
  for (const Answer& answer : situations.at(0).answers) {
    EXPECT_EQ(answer.forecasts[answer.best_today].settings, recommended);
  }
  const Answer& as_it_is = situations.at(0).answers.at(0);
  EXPECT_EQ(as_it_is.forecasts[as_it_is.best_then].settings, recommended);
}

void set_rates(CellResult& cell, double rate, const std::vector<double>& factors) {
  const Repeat start = cell.repeats.front();
  cell.repeats.assign(factors.size(), start);
  for (std::size_t round = 0; round < factors.size(); ++round) {
    cell.repeats[round].round = round;
    for (Metric& metric : cell.repeats[round].metrics) {
      if (metric.tag == "samples_per_second") metric.value = rate * factors[round];
    }
  }
  for (Metric& metric : cell.metrics) {
    if (metric.tag == "samples_per_second") metric.value = rate;
  }
}

// Two workers are cheaper and within 1 % by their mean, but their starts do not show it.
TEST(what_if, as_it_is_takes_what_the_table_proposes) {
  SyntheticWorld machine(some_costs(0.010), {.count = kWhatIfCores}, 0.0, 0.0, 7);
  Recorded recorded;
  for (const std::int64_t workers : {1, 2, 3, 4}) {
    recorded.add(machine, testing::settings_with(workers, 2, true));
  }
  RunResult& run = recorded.run;
  const double rate = rate_of(run.cells[2]);
  set_rates(run.cells[0], 0.7 * rate, {1.0, 1.001, 0.999});
  set_rates(run.cells[1], rate, {0.8, 1.0, 1.2});
  set_rates(run.cells[2], 1.004 * rate, {1.0, 1.001, 0.999});
  set_rates(run.cells[3], rate, {0.999, 1.0, 1.001});
  const CellResult* const proposed = decide(run).front().proposed;
  ASSERT_NE(proposed, &run.cells[1]);
  const Answer answer = answer_in(run);
  EXPECT_EQ(answer.forecasts[answer.best_today].cell, proposed);
  EXPECT_EQ(answer.forecasts[answer.best_then].cell, proposed);
}

TEST(what_if, more_cores_are_predicted_correctly) {
  BatchCosts costs = some_costs(0.010);
  costs.compute = 0.004;
  const RunResult run = recorded(costs);
  for (const Forecast& one : answer_in(run, {.cores = 4.0}).forecasts) {
    EXPECT_NEAR(one.then / truth(costs, 4.0, one.settings), 1.0, 0.08);
  }
}

TEST(what_if, more_cores_allow_more_workers_than_any_cell_has) {
  BatchCosts costs = some_costs(0.010);
  costs.compute = 0.0015;
  const RunResult run = recorded(costs);
  const Answer answer = answer_in(run, {.cores = 8.0});
  const Forecast& best = answer.forecasts[answer.best_then];
  EXPECT_EQ(best.cell, nullptr);
  EXPECT_TRUE(std::isnan(best.today));
  EXPECT_EQ(text_of(best.settings, "num_workers"), "8");
  EXPECT_NEAR(best.then / truth(costs, 8.0, best.settings), 1.0, 0.1);
  EXPECT_NEAR(best.without_cores / truth(costs, kWhatIfCores, best.settings), 1.0, 0.1);
  EXPECT_TRUE(std::isnan(answer.forecasts[answer.best_today].without_cores));
}

TEST(what_if, more_workers_that_wait_need_no_more_cores) {
  BatchCosts costs = some_costs(0.0015);
  costs.inline_load = costs.worker_load = 0.040;
  costs.cpu_share = 0.05;
  const RunResult run = recorded(costs);
  const Answer answer = answer_in(run, {.cores = 8.0});
  const Forecast& best = answer.forecasts[answer.best_then];
  ASSERT_EQ(best.cell, nullptr);
  EXPECT_GT(best.then, 1.5 * answer.forecasts[answer.best_today].today);
  EXPECT_NEAR(best.without_cores / best.then, 1.0, 0.02);
}

// Cells faster than the model predicts would exceed the trainer's limit.
TEST(what_if, no_cell_is_faster_than_the_trainer_alone) {
  BatchCosts costs = some_costs(0.010);
  costs.compute = 0.004;
  RunResult run = recorded(costs);
  double limit = 0.0;
  for (CellResult& cell : run.cells) {
    if (text_of(cell.settings, "loader") == "cached") limit = std::max(limit, rate_of(cell));
    if (!is_real(loop_settings(cell.settings))) continue;
    for (Metric& metric : cell.metrics) {
      if (metric.tag == "samples_per_second") metric.value *= 1.3;
    }
  }
  for (const Forecast& one : answer_in(run, {.cores = 64.0}).forecasts) {
    EXPECT_LE(one.then, limit * (1.0 + 1e-9));
  }
}

TEST(what_if, of_equal_settings_the_cheapest_is_the_best_then) {
  const RunResult run = recorded(some_costs(0.010));
  const Answer answer = answer_in(run, {.gpu_speed = 0.5});
  const Forecast& best = answer.forecasts[answer.best_then];
  EXPECT_GE(best.then, 0.99 * answer.forecasts.front().then);
  for (const Forecast& one : answer.forecasts) {
    if (one.then < 0.99 * answer.forecasts.front().then) continue;
    EXPECT_GE(loop_settings(one.settings).num_workers, loop_settings(best.settings).num_workers);
  }
}

std::vector<Situation> situations_with(const std::string& name, const SettingValue& one,
                                       const SettingValue& other) {
  RunResult run = recorded(some_costs(0.010));
  const std::vector<CellResult> cells = run.cells;
  for (CellResult& cell : run.cells) cell.settings.push_back({name, one});
  for (CellResult cell : cells) {
    cell.settings.push_back({name, other});
    run.cells.push_back(std::move(cell));
  }
  return situations_in(run);
}

// An empty `emulate` counts.
TEST(what_if, another_condition_is_another_situation) {
  struct Case {
    const char* name;
    SettingValue one, other;
    const char *first, *second;
  };
  const std::string none;
  for (const Case& c : {Case{"engine", std::string("native"), std::string("torch"), "engine=native",
                             "engine=torch"},
                        Case{"emulate", none, std::string("p.yaml"), "", "emulate=p.yaml"},
                        Case{"shuffle", false, true, "shuffle=false", "shuffle=true"}}) {
    const auto situations = situations_with(c.name, c.one, c.other);
    ASSERT_EQ(situations.size(), 2U) << c.name;
    EXPECT_EQ(situations[0].name, c.first);
    EXPECT_EQ(situations[1].name, c.second);
    EXPECT_EQ(situations[1].cells.size(), 26U) << c.name;
  }
}

TEST(what_if, says_how_far_the_model_is_off_on_held_out_cells) {
  const RunResult run = recorded(some_costs(0.010), 0.02);
  const auto situations = situations_in(run);
  EXPECT_EQ(situations[0].held_out.cells, 20U);  // The model was fitted to six of 26.
  EXPECT_GT(situations[0].held_out.median_error, 0.0);
  EXPECT_LT(situations[0].held_out.median_error, 0.05);
}

TEST(what_if, each_cell_is_held_out_once_where_there_are_few) {
  SyntheticWorld machine(some_costs(0.010), {.count = kWhatIfCores}, 0.0, 0.0, 7);
  Recorded few;
  for (const std::int64_t workers : {0, 1, 2}) {
    few.add(machine, testing::settings_with(workers, 2, false));
  }
  EXPECT_EQ(situations_in(few.run).at(0).held_out.cells, 3U);
}

class cached_data : public ::testing::Test {
 protected:
  cached_data() {
    BatchCosts cold_costs = some_costs(0.010);
    cold_costs.inline_load = 0.040;
    cold_costs.worker_load = 0.042;
    cold_costs.cpu_share = 1.0 / 3.0;
    SyntheticWorld warm(some_costs(0.010), {.count = kWhatIfCores}, 0.0, 0.0, 7);
    SyntheticWorld cold(cold_costs, {.count = kWhatIfCores}, 0.0, 0.0, 7);
    for (const std::int64_t workers : {0, 1, 2}) {
      const Settings settings = testing::settings_with(workers, 2, false);
      recorded_.add(warm, in_cache(settings, "warm"));
      recorded_.add(cold, in_cache(settings, "cold"));
    }
  }

  Recorded recorded_;
};

TEST_F(cached_data, all_cached_is_the_measured_warm_cell) {
  const auto situations = situations_in(recorded_.run, {.cached = 1.0});
  ASSERT_EQ(situations.size(), 2U);
  EXPECT_TRUE(situations[0].answers.empty());  // The warm situation.
  EXPECT_EQ(situations[1].name, "cache=cold");
  for (const Forecast& one : situations[1].answers.at(0).forecasts) {
    const auto& warm = *(one.cell - 1);
    EXPECT_NEAR(one.then / rate_of(warm), 1.0, 0.01);
  }
}

TEST_F(cached_data, half_cached_takes_half_of_the_time_of_each) {
  const auto situations = situations_in(recorded_.run, {.cached = 0.5});
  const auto& forecasts = situations.at(1).answers.at(0).forecasts;
  const auto inline_cell = std::find_if(forecasts.begin(), forecasts.end(), [](const auto& one) {
    return loop_settings(one.settings).num_workers == 0;
  });
  // Loading 40 or 12 ms, then copy 1, host 0.1 and compute 10.
  EXPECT_NEAR(32.0 / inline_cell->then, 0.5 * 0.040 + 0.5 * 0.012 + 0.0111, 0.0008);
}

TEST_F(cached_data, storage_is_the_limit_as_long_as_reading_takes_most) {
  for (CellResult& cell : recorded_.run.cells) {
    const double read = text_of(cell.settings, "cache") == "cold" ? 3e-3 : 1e-4;
    cell.metrics.push_back({"read_time", read});
    cell.metrics.push_back({"decode_time", 1e-3});
  }
  const std::vector<World> worlds{{.cached = 0.0}, {.cached = 1.0}};
  const auto situations = what_if(recorded_.run, kWhatIfCores, worlds);
  const std::vector<Answer>& answers = situations.at(1).answers;
  EXPECT_EQ(answers.at(0).forecasts.front().limit_then.what, Bottleneck::kStorage);
  EXPECT_NE(answers.at(1).forecasts.front().limit_then.what, Bottleneck::kStorage);
}

TEST_F(cached_data, there_is_no_answer_without_the_other_cache_state) {
  std::erase_if(recorded_.run.cells,
                [](const CellResult& cell) { return text_of(cell.settings, "cache") == "warm"; });
  for (const Situation& situation : situations_in(recorded_.run, {.cached = 0.5})) {
    EXPECT_TRUE(situation.answers.empty());
  }
}

TEST(what_if, cells_that_were_not_measured_are_forecast_too) {
  RunResult run = recorded(some_costs(0.010));
  CellResult& last = run.cells.back();
  const double rate = rate_of(last);
  last = testing::cell_with(last.settings);
  const std::vector<Forecast> forecasts = answer_in(run).forecasts;
  const auto found = std::find_if(forecasts.begin(), forecasts.end(),
                                  [&](const Forecast& one) { return one.cell == &last; });
  ASSERT_NE(found, forecasts.end());
  EXPECT_TRUE(std::isnan(found->today));
  EXPECT_NEAR(found->then / rate, 1.0, 0.03);
}

// Keeps the mock loaders of recorded().
TEST(what_if, a_run_of_mock_loaders_alone_has_no_situation) {
  RunResult run = recorded(some_costs(0.010));
  run.cells.resize(5);
  run.cells.erase(run.cells.begin(), run.cells.begin() + 3);
  EXPECT_TRUE(situations_in(run).empty());
}

TEST(what_if, a_loader_alone_is_answered_for_all_but_the_gpu) {
  RunResult run = recorded(some_costs(0.010));
  run.cells.resize(3);
  const std::vector<World> worlds{{}, {.gpu_speed = 2.0}, {.cores = 4.0}};
  const std::vector<Situation> situations = what_if(run, kWhatIfCores, worlds);
  ASSERT_EQ(situations.size(), 1U);
  EXPECT_TRUE(situations[0].is_loader_alone);
  ASSERT_EQ(situations[0].answers.size(), 2U);
  EXPECT_EQ(situations[0].answers[1].world, worlds[2]);
  EXPECT_GT(situations[0].answers[1].gain(), 0.5) << "4 workers on 4 cores instead of 2";
  EXPECT_EQ(situations[0].answers[1].enough_cores, std::nullopt);
}

// Each limit needs five more replays than a rate.
TEST(what_if, sets_the_limits_of_as_many_forecasts_as_are_wanted_and_of_the_best) {
  RunResult run = recorded(some_costs(0.001));
  const Answer all = answer_in(run);
  const World same;
  const Answer best = what_if(run, kWhatIfCores, {&same, 1}, 0).at(0).answers.at(0);
  EXPECT_EQ(best.forecasts[best.best_then].limit_then.stall,
            all.forecasts[all.best_then].limit_then.stall);
  EXPECT_GT(all.forecasts.back().limit_then.stall, 0.5);
  EXPECT_EQ(best.forecasts.back().limit_then.stall, 0.0);
}

// 500 rows or repeated rows must cost as much as a few.
TEST(what_if, large_tables_are_fitted_to_a_few_of_their_rows) {
  RunResult run;
  for (std::int64_t i = 0; i < 500; ++i) {
    CellResult& cell =
        run.cells.emplace_back(testing::cell_with(testing::settings_with(i, 2, false)));
    cell.index = run.cells.size() - 1;
    cell.outcome = Outcome::kOk;
    const double step =
        0.32 / static_cast<double>(std::clamp<std::int64_t>(i, 1, 8)) + (i == 0 ? 0.04 : 0.0);
    cell.metrics = {{"step_time", step}, {"samples_per_second", 32.0 / step}};
  }
  const World same;
  const std::vector<Situation> situations = what_if(run, 8.0, {&same, 1}, 0);
  EXPECT_GT(situations.at(0).held_out.cells, 490U);
  EXPECT_LT(situations.at(0).held_out.median_error, 0.05);
}

}  // namespace
}  // namespace feedrate
