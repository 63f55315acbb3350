// SPDX-License-Identifier: Apache-2.0
// All expected values are computed by hand.
#include "analysis/tuner/replay.h"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kExact = 1e-9;

BatchCosts loader_against_step(double load, double step) {
  BatchCosts costs;
  costs.inline_load = costs.worker_load = load;
  costs.compute = step;
  return costs;
}

LoopSettings workers(std::size_t count, std::size_t prefetch_factor = 2) {
  LoopSettings settings;
  settings.num_workers = count;
  settings.prefetch_factor = prefetch_factor;
  return settings;
}

// Many steps make the difference of the buffers at both ends of the window negligible.
double long_run(const BatchCosts& costs, const LoopSettings& settings, const Cores& cores) {
  return replay(costs, cores, settings, steady_epoch(settings, 10'000)).step_time;
}

ReplayedEpoch steady(const BatchCosts& costs, const LoopSettings& settings) {
  return replay(costs, {}, settings, steady_epoch(settings, 60));
}

// docs/measurement.md, known answers: 154 MB per batch and a step of 20 ms.
BatchCosts large_batch() {
  BatchCosts costs = loader_against_step(0.001, 0.020);
  costs.copy_pageable = costs.copy_fresh = 0.0193;
  costs.copy_pinned = 0.0062;
  return costs;
}

LoopSettings cached() {
  LoopSettings settings;
  settings.cached = true;
  return settings;
}

struct SteadyStep {
  const char* name;
  BatchCosts costs;
  LoopSettings settings;
  double step_time;

  friend void PrintTo(const SteadyStep& step, std::ostream* out) { *out << step.name; }
};

class steady_step : public ::testing::TestWithParam<SteadyStep> {};

TEST_P(steady_step, takes) {
  const SteadyStep& wanted = GetParam();
  EXPECT_NEAR(steady(wanted.costs, wanted.settings).step_time, wanted.step_time, kExact);
}

INSTANTIATE_TEST_SUITE_P(
    replay, steady_step,
    ::testing::ValuesIn({
        SteadyStep{"loading_and_training_without_workers", loader_against_step(0.035, 0.030),
                   workers(0), 0.065},
        {"the_loading_of_one_worker", loader_against_step(0.035, 0.030), workers(1), 0.035},
        {"the_training_with_two_workers", loader_against_step(0.035, 0.030), workers(2), 0.030},
        // The worker gets batch i+1 when batch i is returned, and waits until then.
        {"the_training_with_one_prefetched_batch", loader_against_step(0.020, 0.030), workers(1, 1),
         0.030},
        {"the_loading_with_one_prefetched_batch", loader_against_step(0.035, 0.030), workers(1, 1),
         0.035},
        {"no_receiving_with_a_pin_thread",
         {.worker_load = 0.001, .receive = 0.003, .pin = 0.004, .compute = 0.030},
         {.num_workers = 2, .pin_memory = true},
         0.030},
        {"the_pin_threads_batches_sequentially",
         {.worker_load = 0.010, .receive = 0.003, .pin = 0.017, .compute = 0.005},
         {.num_workers = 4, .pin_memory = true},
         0.020},
        {"pinning_without_workers",
         {.inline_load = 0.010, .inline_pin = 0.004, .compute = 0.030},
         {.pin_memory = true},
         0.044},
        {"a_copy_from_pageable_memory", large_batch(), cached(), 0.0393},
        {"a_copy_from_pinned_memory", large_batch(), {.pin_memory = true, .cached = true}, 0.0262},
        {"no_copy_on_a_side_stream",
         large_batch(),
         {.pin_memory = true,
          .non_blocking = true,
          .side_stream = true,
          .sync_every = 0,
          .cached = true},
         0.0200},
        {"a_copy_on_a_side_stream_that_the_host_waits_for",
         large_batch(),
         {.pin_memory = true, .non_blocking = true, .side_stream = true, .cached = true},
         0.0262},
        {"no_copy_with_device_prefetch",
         large_batch(),
         {.pin_memory = true, .non_blocking = true, .device_prefetch = 1, .cached = true},
         0.0200},
    }),
    [](const auto& wanted) { return std::string(wanted.param.name); });

TEST(replay, au_is_the_share_of_training) {
  EXPECT_NEAR(steady(loader_against_step(0.035, 0.030), workers(0)).au, 30.0 / 65.0, kExact);
  EXPECT_NEAR(steady(loader_against_step(0.035, 0.030), workers(2)).au, 1.0, kExact);
}

TEST(replay, workers_beyond_the_cores_share_them) {
  BatchCosts costs = loader_against_step(0.040, 0.0);
  const LoopSettings settings{.num_workers = 4, .discard = true};
  EXPECT_NEAR(steady(costs, settings).step_time, 0.010, kExact);
  EXPECT_NEAR(long_run(costs, settings, {.count = 2.0}), 0.020, 1e-5);
}

TEST(replay, waiting_for_storage_needs_no_core) {
  BatchCosts costs = loader_against_step(0.040, 0.0);
  costs.cpu_share = 0.0;
  const LoopSettings settings{.num_workers = 4, .discard = true};
  EXPECT_NEAR(long_run(costs, settings, {.count = 1.0}), 0.010, 1e-5);
  EXPECT_NEAR(long_run(costs, settings, {.count = 1.0, .lanes = 2.0}), 0.020, 1e-5);
}

TEST(replay, cpu_time_is_that_of_all_threads) {
  BatchCosts costs = loader_against_step(0.020, 0.030);
  costs.cpu_share = 0.75;
  costs.receive = 0.003;
  costs.dispatch = 0.002;
  costs.pin = 0.001;
  costs.host = 0.0005;
  LoopSettings settings = workers(2);
  settings.pin_memory = true;
  EXPECT_NEAR(steady(costs, settings).cpu_time, 0.015 + 0.0065, 1e-6);
}

TEST(replay, cores_that_are_shared_are_busy_all_the_time) {
  const LoopSettings settings{.num_workers = 4, .discard = true};
  const ReplayedEpoch epoch = replay(loader_against_step(0.040, 0.0), {.count = 2.0}, settings,
                                     steady_epoch(settings, 10'000));
  EXPECT_NEAR(epoch.cpu_time, 2.0 * epoch.step_time, 1e-6);
}

TEST(replay, what_a_batch_computes_is_the_same_however_many_share_a_core) {
  BatchCosts costs = loader_against_step(0.040, 0.0);
  costs.cpu_share = 0.5;
  const LoopSettings settings{.num_workers = 4, .discard = true};
  const ReplayedEpoch epoch =
      replay(costs, {.count = 1.0}, settings, steady_epoch(settings, 10'000));
  EXPECT_NEAR(epoch.cpu_time, 0.020, 1e-4);
}

// Workers that compute, not wait for storage.
TEST(replay, what_workers_lose_beyond_the_lanes_is_cpu_time_as_the_rest) {
  BatchCosts costs = loader_against_step(0.010, 0.0);
  const LoopSettings settings{.num_workers = 4, .discard = true};
  const auto cpu_time = [&](double cpu_share) {
    costs.cpu_share = cpu_share;
    return replay(costs, {.count = 4.0, .lanes = 2.0}, settings, steady_epoch(settings, 10'000))
        .cpu_time;
  };
  EXPECT_NEAR(cpu_time(1.0), 0.020, 1e-4);
  EXPECT_NEAR(cpu_time(0.1), 0.0011, 1e-4);
}

TEST(replay, a_host_that_spins_takes_a_core_from_the_workers) {
  BatchCosts costs = loader_against_step(0.050, 0.030);
  const LoopSettings settings = workers(2);
  const auto step_time = [&](double device_wait_cpu) {
    costs.device_wait_cpu = device_wait_cpu;
    return long_run(costs, settings, {.count = 2.0});
  };
  EXPECT_NEAR(step_time(0.0), 0.030, 1e-4);
  EXPECT_GT(step_time(1.0), 0.034);
}

TEST(replay, the_mock_trainer_gives_back_what_workers_made) {
  BatchCosts costs = loader_against_step(0.001, 0.0);
  costs.release = 0.004;
  LoopSettings settings = workers(2);
  settings.discard = true;
  EXPECT_NEAR(steady(costs, settings).copy_time, 0.004, kExact);
  settings.num_workers = 0;
  EXPECT_NEAR(steady(costs, settings).step_time, 0.001, kExact);
}

TEST(replay, receiving_delays_the_training_thread) {
  BatchCosts costs = loader_against_step(0.001, 0.030);
  costs.receive = 0.003;
  costs.dispatch = 0.002;
  const ReplayedEpoch epoch = steady(costs, workers(2));
  EXPECT_NEAR(epoch.wait_time, 0.005, kExact);
  EXPECT_NEAR(epoch.step_time, 0.035, kExact);
}

TEST(replay, non_blocking_on_the_same_stream_moves_the_copy_and_does_not_hide_it) {
  LoopSettings settings = cached();
  settings.pin_memory = settings.non_blocking = true;
  const ReplayedEpoch epoch = steady(large_batch(), settings);
  EXPECT_NEAR(epoch.step_time, 0.0262, kExact);
  EXPECT_NEAR(epoch.copy_time, 0.0, kExact);
  EXPECT_NEAR(epoch.training_time, 0.0262, kExact);
  settings.sync_every = 0;
  EXPECT_NEAR(steady(large_batch(), settings).step_time, 0.0262, kExact);
}

// Alternating batches of 10 and 50 ms, one per worker: in order, the fast worker waits for the slow
// one.
TEST(replay, out_of_order_a_slow_batch_does_not_hold_up_the_others) {
  BatchCosts costs = loader_against_step(0.030, 0.0);
  costs.shape = {1.0 / 3.0, 5.0 / 3.0};
  LoopSettings settings = workers(2, 1);
  settings.discard = true;
  const double in_order = steady(costs, settings).step_time;
  settings.in_order = false;
  EXPECT_LT(steady(costs, settings).step_time, 0.95 * in_order);
}

// Two workers start sequentially, 5 ms each; then each makes its first batch.
TEST(replay, an_epoch_begins_with_the_start_of_the_workers) {
  BatchCosts costs = loader_against_step(0.010, 0.020);
  costs.worker_start = 0.005;
  costs.first_task = 0.003;
  costs.worker_stop = 0.002;
  const ReplayedEpoch epoch = replay(costs, {}, workers(2), {.batches = 3});
  EXPECT_NEAR(epoch.first_batch_time, 0.010 + 0.003 + 0.010, kExact);
  EXPECT_NEAR(epoch.epoch_time, 0.023 + 3 * 0.020 + 2 * 0.002, kExact);
}

TEST(replay, persistent_workers_start_once) {
  BatchCosts costs = loader_against_step(0.010, 0.020);
  costs.worker_start = 0.005;
  costs.worker_stop = 0.002;
  LoopSettings settings = workers(2);
  settings.persistent_workers = true;
  EXPECT_NEAR(replay(costs, {}, settings, {.batches = 3}).first_batch_time, 0.020, kExact);
  const ReplayedEpoch later = replay(costs, {}, settings, {.batches = 3, .first_of_loader = false});
  EXPECT_NEAR(later.first_batch_time, 0.010, kExact);
  EXPECT_NEAR(later.epoch_time, 0.070, kExact);
}

TEST(replay, an_incomplete_last_batch_takes_its_share_of_the_loading) {
  const ReplayedEpoch epoch =
      replay(loader_against_step(0.040, 0.0), {}, workers(0), {.batches = 2, .last_batch = 0.25});
  EXPECT_NEAR(epoch.epoch_time, 0.050, kExact);
}

// A fit tries times of any size. A step below the rounding of the time must end; otherwise this
// test never does.
TEST(replay, ends_although_a_step_is_below_the_rounding_of_the_time) {
  BatchCosts costs = loader_against_step(1e-9, 1e-9);
  costs.worker_start = 1e8;
  EXPECT_LT(steady(costs, workers(2)).step_time, 1e-3);
}

TEST(replay, the_same_seed_draws_the_same_batches) {
  BatchCosts costs = loader_against_step(0.030, 0.010);
  costs.shape = {0.513, 1.07, 1.41};
  const EpochPlan plan = steady_epoch(workers(2), 50);
  EXPECT_EQ(replay(costs, {}, workers(2), plan, 7).step_time,
            replay(costs, {}, workers(2), plan, 7).step_time);
  EXPECT_NE(replay(costs, {}, workers(2), plan, 7).step_time,
            replay(costs, {}, workers(2), plan, 8).step_time);
}

TEST(replay, a_steady_epoch_discards_what_the_protocol_does_and_keeps_whole_rounds) {
  const EpochPlan plan = steady_epoch(workers(4, 3), 50);
  EXPECT_EQ(plan.discarded, 1 + 12);
  EXPECT_EQ(plan.batches - plan.discarded, 52);
  EXPECT_EQ(plan.extra, 12);
  EXPECT_EQ(steady_epoch(workers(8, 8), 50).batches - (1 + 64), 128);
}

// Two cores make a batch of 10 ms in 5 ms, however many are in progress at both ends of the window.
TEST(replay, what_is_under_way_when_the_window_begins_is_no_gain) {
  LoopSettings settings = workers(8, 8);
  settings.discard = true;
  const double step =
      replay(loader_against_step(0.010, 0.0), {.count = 2.0}, settings, steady_epoch(settings, 60))
          .step_time;
  EXPECT_NEAR(step, 0.005, 0.0001);
}

}  // namespace
}  // namespace feedrate
