// SPDX-License-Identifier: Apache-2.0
// Changed worlds with simple figures: all costs are 0 but those named.
#include "analysis/tuner/changed_world.h"

#include <limits>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

constexpr double kMs = 1e-3;

struct Machine {
  double load = 0.0;  ///< milliseconds per batch, in a worker
  double compute = 0.0;
  double cores = 16.0;
  double lanes = std::numeric_limits<double>::infinity();
  double cpu_share = 1.0;
};

FittedModel model_of(const Machine& machine) {
  FittedModel model;
  model.costs.worker_load = model.costs.inline_load = machine.load * kMs;
  model.costs.compute = machine.compute * kMs;
  model.costs.cpu_share = machine.cpu_share;
  model.cores = {machine.cores, machine.lanes};
  return model;
}

LoopSettings with_workers(std::size_t count) { return {.num_workers = count}; }

double step_ms(const FittedModel& model, const LoopSettings& settings) {
  return predict(model, settings).step_time / kMs;
}

double step_with_gpu(const FittedModel& model, double speed, std::size_t num_workers) {
  return step_ms(in_world(model, {.gpu_speed = speed}, num_workers), with_workers(num_workers));
}

double step_with_cores(const FittedModel& model, double cores, std::size_t num_workers) {
  return step_ms(in_world(model, {.cores = cores}, num_workers), with_workers(num_workers));
}

TEST(in_world, a_loader_bound_run_gains_nothing_from_a_faster_gpu) {
  const FittedModel model = model_of({.load = 10.0, .compute = 8.0});
  EXPECT_NEAR(step_with_gpu(model, 1.0, 1), 10.0, 1e-6);
  EXPECT_NEAR(step_with_gpu(model, 2.0, 1), 10.0, 1e-6);
}

TEST(in_world, a_gpu_bound_run_gains_until_the_loader_is_the_limit) {
  const FittedModel model = model_of({.load = 6.0, .compute = 8.0});
  EXPECT_NEAR(step_with_gpu(model, 1.0, 2), 8.0, 1e-6);
  EXPECT_NEAR(step_with_gpu(model, 2.0, 2), 4.0, 1e-6);
  EXPECT_NEAR(step_with_gpu(model, 4.0, 2), 3.0, 1e-6);
}

TEST(in_world, a_faster_gpu_copies_no_faster) {
  FittedModel model = model_of({.load = 0.1, .compute = 8.0});
  model.costs.copy_fresh = 2.0 * kMs;
  EXPECT_NEAR(step_with_gpu(model, 1.0, 2), 10.0, 1e-6);
  EXPECT_NEAR(step_with_gpu(model, 2.0, 2), 6.0, 1e-6);
}

TEST(in_world, four_workers_on_two_cores_gain_from_four_until_the_gpu_is_the_limit) {
  const FittedModel model = model_of({.load = 10.0, .compute = 4.0, .cores = 2.0});
  EXPECT_NEAR(step_with_cores(model, 2.0, 4), 5.0, 0.1);
  EXPECT_NEAR(step_with_cores(model, 1.0, 4), 10.0, 0.2);
  EXPECT_NEAR(step_with_cores(model, 4.0, 4), 4.0, 0.05);
}

// Four workers made 1.8 batches at a time on two cores: the cores limit them.
TEST(in_world, a_limit_that_the_cores_explain_grows_with_them) {
  const FittedModel model = model_of({.load = 10.0, .compute = 1.0, .cores = 2.0, .lanes = 1.8});
  EXPECT_NEAR(step_with_cores(model, 4.0, 4), 10.0 / 3.6, 0.03);
}

// The cores do not explain 1.8 lanes on sixteen cores.
TEST(in_world, a_limit_far_below_the_cores_stays) {
  const FittedModel model = model_of({.load = 10.0, .compute = 1.0, .cores = 16.0, .lanes = 1.8});
  EXPECT_NEAR(step_with_cores(model, 32.0, 4), 10.0 / 1.8, 0.1);
}

// Four workers made four batches at a time on sixteen cores: no limit was visible.
TEST(in_world, a_limit_that_the_workers_explain_is_none_for_more_workers) {
  const FittedModel model = model_of({.load = 10.0, .compute = 1.0, .cores = 16.0, .lanes = 3.9});
  const FittedModel more = in_world(model, {.cores = 32.0}, 4);
  EXPECT_NEAR(step_ms(more, with_workers(8)), 10.0 / 8.0, 0.01);
}

TEST(mix_caches, times_are_weighted_by_the_share) {
  const FittedModel cold = model_of({.load = 20.0, .compute = 1.0, .cpu_share = 0.25});
  const FittedModel warm = model_of({.load = 5.0, .compute = 1.0});
  const FittedModel mixed = mix_caches(cold, warm, 0.6);
  EXPECT_NEAR(step_ms(mixed, with_workers(1)), 0.4 * 20.0 + 0.6 * 5.0, 1e-6);
  EXPECT_DOUBLE_EQ(mixed.costs.inline_load, 11.0 * kMs);
  EXPECT_DOUBLE_EQ(mixed.costs.cpu_share, 5.0 / 11.0);
  EXPECT_NEAR(step_ms(mix_caches(cold, warm, 0.0), with_workers(1)), 20.0, 1e-6);
  EXPECT_NEAR(step_ms(mix_caches(cold, warm, 1.0), with_workers(1)), 5.0, 1e-6);
}

// The cold storage gives two batches in 20 ms, with half of the data cached twice as many. Reading
// takes 16 of 20 ms cold and 1 of 5 warm: 8.5 of 12.5 in between.
TEST(mix_caches, reading_is_the_less_of_it_the_more_is_cached) {
  FittedModel cold = model_of({.load = 20.0, .compute = 1.0});
  FittedModel warm = model_of({.load = 5.0, .compute = 1.0});
  cold.read_share = 0.8;
  warm.read_share = 0.2;
  EXPECT_DOUBLE_EQ(mix_caches(cold, warm, 0.5).read_share, 8.5 / 12.5);
}

TEST(mix_caches, the_storages_limit_counts_for_what_is_not_cached) {
  const FittedModel cold =
      model_of({.load = 20.0, .compute = 1.0, .lanes = 2.0, .cpu_share = 0.25});
  const FittedModel warm = model_of({.load = 4.0, .compute = 1.0});
  EXPECT_NEAR(step_ms(mix_caches(cold, warm, 0.0), with_workers(8)), 10.0, 0.2);
  EXPECT_NEAR(step_ms(mix_caches(cold, warm, 0.5), with_workers(8)), 5.0, 0.1);
  EXPECT_NEAR(step_ms(mix_caches(cold, warm, 1.0), with_workers(8)), 1.0, 0.01);
}

Bottleneck limit_of(const FittedModel& model, std::size_t num_workers) {
  return limit_in(model, with_workers(num_workers)).what;
}

TEST(limit_in, is_the_gpu_where_nothing_is_left_to_win) {
  const FittedModel model = model_of({.load = 6.0, .compute = 8.0});
  EXPECT_EQ(limit_of(model, 1), Bottleneck::kGpu);
  EXPECT_NEAR(limit_in(model, with_workers(1)).stall, 0.0, 1e-6);
}

TEST(limit_in, is_what_wins_most_when_it_costs_nothing) {
  FittedModel model = model_of({.load = 12.0, .compute = 8.0});
  EXPECT_EQ(limit_of(model, 1), Bottleneck::kDecode);
  EXPECT_NEAR(limit_in(model, with_workers(1)).stall, 1.0 - 8.0 / 12.0, 1e-6);
  model.costs.cpu_share = 0.4;
  EXPECT_EQ(limit_of(model, 1), Bottleneck::kStorage);
  model.costs.copy_fresh = 3.0 * kMs;
  EXPECT_EQ(limit_of(model, 2), Bottleneck::kCopy);
  model.costs.receive = 4.0 * kMs;
  EXPECT_EQ(limit_of(model, 2), Bottleneck::kTransport);
}

TEST(limit_in, is_storage_where_cells_show_that_reading_takes_most) {
  FittedModel model = model_of({.load = 12.0, .compute = 8.0});
  model.read_share = 0.6;
  EXPECT_EQ(limit_of(model, 1), Bottleneck::kStorage);
  model.costs.cpu_share = 0.4;
  model.read_share = 0.4;
  EXPECT_EQ(limit_of(model, 1), Bottleneck::kDecode);
}

TEST(limit_in, calls_up_to_ten_percent_balanced) {
  EXPECT_EQ(limit_of(model_of({.load = 8.8, .compute = 8.0}), 1), Bottleneck::kBalanced);
}

TEST(enough_cores, is_the_first_number_that_keeps_up_with_the_gpu) {
  const FittedModel model = model_of({.load = 10.0, .compute = 4.0, .cores = 2.0});
  EXPECT_EQ(enough_cores(model, with_workers(1), 4), 3U);
  EXPECT_EQ(enough_cores(in_world(model, {.gpu_speed = 2.0}, 4), with_workers(1), 4), 5U);
  EXPECT_EQ(enough_cores(model_of({.load = 3.0, .compute = 4.0}), with_workers(1), 4), 1U);
}

TEST(enough_cores, is_nothing_where_storage_is_the_limit) {
  const FittedModel model = model_of({.load = 10.0, .compute = 1.0, .cores = 16.0, .lanes = 1.8});
  EXPECT_EQ(enough_cores(model, with_workers(4), 4), std::nullopt);
}

}  // namespace
}  // namespace feedrate
