// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/fit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analysis/tuner/settings.h"
#include "tests/analysis/tuner/synthetic_world.h"

namespace feedrate {
namespace {

using testing::some_costs;
using testing::SyntheticWorld;
using testing::with_mock;

Settings discard(std::int64_t workers) {
  return with_mock(testing::settings_with(workers, 2, false), "trainer", "discard");
}

Settings cached(bool pin_memory) {
  return with_mock(testing::settings_with(0, 2, pin_memory), "loader", "cached");
}

class Probes {
 public:
  Probes(const BatchCosts& costs, const Cores& cores) : world_(costs, cores, 0.0, 0.0, 1) {}

  void measure(const Settings& settings) {
    cells_.push_back(testing::cell_with(settings));
    world_.measure(cells_.back());
  }

  [[nodiscard]] FittedModel fit(double cores) const {
    std::vector<const CellResult*> cells;
    for (const CellResult& cell : cells_) cells.push_back(&cell);
    return fit_model(cells, cores);
  }

 private:
  SyntheticWorld world_;
  std::vector<CellResult> cells_;
};

TEST(fit, the_probes_predict_the_whole_grid) {
  const Cores cores{.count = 2.0};
  Probes probes(some_costs(0.006), cores);
  for (const std::int64_t workers : {0, 1, 4}) probes.measure(discard(workers));
  for (const bool pin_memory : {false, true}) {
    probes.measure(cached(pin_memory));
    probes.measure(testing::settings_with(4, 2, pin_memory));
  }
  const FittedModel model = probes.fit(2.0);
  for (const Settings& settings : testing::small_grid({0, 1, 2, 3, 4})) {
    const LoopSettings loop = loop_settings(settings);
    const double truth = replay(some_costs(0.006), cores, loop, steady_epoch(loop, 60)).step_time;
    EXPECT_NEAR(predict(model, loop).step_time / truth, 1.0, 0.05)
        << loop.num_workers << ' ' << loop.prefetch_factor << ' ' << loop.pin_memory;
  }
}

TEST(fit, a_limit_beyond_the_cores_shows_in_the_probe_with_many_workers) {
  BatchCosts costs = some_costs(0.006);
  costs.cpu_share = 0.1;
  const Cores storage{.count = 8.0, .lanes = 3.0};
  Probes probes(costs, storage);
  for (const std::int64_t workers : {0, 1, 8}) probes.measure(discard(workers));
  const FittedModel model = probes.fit(8.0);
  LoopSettings loop = loop_settings(discard(4));
  EXPECT_NEAR(predict(model, loop).step_time, 0.014 / 3.0, 0.05 * 0.014 / 3.0);
}

// Waiting workers need no core: four of them made nearly four batches at a time.
TEST(fit, probes_that_scale_show_no_limit_of_more_workers) {
  BatchCosts costs = some_costs(0.0005);
  costs.cpu_share = 0.1;
  Probes probes(costs, {.count = 2.0});
  for (const std::int64_t workers : {0, 1, 4}) probes.measure(discard(workers));
  const FittedModel model = probes.fit(2.0);
  EXPECT_TRUE(std::isinf(model.cores.lanes));
  EXPECT_NEAR(predict(model, loop_settings(discard(8))).step_time, 0.014 / 8.0, 0.1 * 0.014 / 8.0);
}

TEST(fit, how_much_of_loading_waits_shows_in_the_cpu_time_of_real_cells) {
  BatchCosts costs = some_costs(0.0005);
  costs.cpu_share = 0.1;
  Probes probes(costs, {.count = 2.0});
  for (const std::int64_t workers : {0, 1}) {
    probes.measure(testing::settings_with(workers, 2, false));
  }
  EXPECT_LT(probes.fit(2.0).costs.cpu_share, 0.4);
}

TEST(fit, real_cells_alone_do) {
  Probes probes(some_costs(0.006), {.count = 2.0});
  probes.measure(testing::settings_with(0, 2, false));
  probes.measure(testing::settings_with(1, 2, false));
  const FittedModel model = probes.fit(2.0);
  EXPECT_NEAR(model.costs.inline_load, 0.012, 0.0003);
  EXPECT_NEAR(model.costs.worker_load, 0.014, 0.0003);
  EXPECT_NEAR(model.costs.compute, 0.006, 1e-9);
}

// If every thread has a core, only CPU time shows the cost of pinning.
TEST(fit, what_pinning_costs_beside_an_idle_core_shows_in_cpu_time) {
  BatchCosts costs = some_costs(0.006);
  costs.pin = 0.004;
  for (const double device_wait_cpu : {0.0, 1.0}) {
    costs.device_wait_cpu = device_wait_cpu;
    Probes probes(costs, {.count = 4.0});
    probes.measure(discard(1));
    probes.measure(cached(true));
    for (const bool pin_memory : {false, true}) {
      probes.measure(testing::settings_with(1, 2, pin_memory));
    }
    const FittedModel model = probes.fit(4.0);
    EXPECT_NEAR(model.costs.receive + model.costs.pin, 0.0048, 0.001);
  }
}

TEST(fit, a_host_that_spins_shows_in_the_mock_loaders_cpu_time) {
  BatchCosts costs = some_costs(0.006);
  for (const double device_wait_cpu : {0.0, 1.0}) {
    costs.device_wait_cpu = device_wait_cpu;
    Probes probes(costs, {.count = 4.0});
    probes.measure(discard(0));
    probes.measure(cached(false));
    EXPECT_NEAR(probes.fit(4.0).costs.device_wait_cpu, device_wait_cpu, 0.05);
  }
}

TEST(fit, batch_times_scatter_as_the_series_does) {
  CellResult cell = testing::cell_with(discard(0));
  cell.outcome = Outcome::kOk;
  cell.metrics = {{"step_time", 0.02}, {"wait_time", 0.02}};
  cell.repeats.resize(1);
  cell.repeats.front().series["loading_time"] = {0.01, 0.03};
  const CellResult* const only = &cell;
  EXPECT_EQ(fit_model({&only, 1}, 2.0).costs.shape, (std::vector<double>{0.5, 1.5}));
}

TEST(fit, the_start_of_workers_shows_in_the_first_batch) {
  BatchCosts costs = some_costs(0.006);
  costs.worker_start = 0.010;
  costs.first_task = 0.020;
  Probes probes(costs, {});
  for (const std::int64_t workers : {1, 5}) probes.measure(discard(workers));
  const FittedModel model = probes.fit(16.0);
  EXPECT_NEAR(model.costs.worker_start, 0.010, 1e-6);
}

}  // namespace
}  // namespace feedrate
