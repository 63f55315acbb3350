// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/fit.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kSmallFit = 1000;
constexpr std::size_t kLarge = 11'000;

// The results of the probes if PyTorch had exactly these costs.
ProbeResults results_of(const LoaderCosts& costs) {
  ProbeResults results;
  results.batch_bytes = {kSmallFit, kLarge};
  const auto at = [&](const LinearCost& cost, std::size_t size) {
    return to_seconds(cost.of(results.batch_bytes[size]));
  };
  for (std::size_t size = 0; size < 2; ++size) {
    results.inline_loader[size].step = at(costs.inline_batch, size);
    results.inline_pinned[size].step = at(costs.inline_batch, size) + at(costs.pin, size);
    results.busy_worker[size].step = at(costs.worker_batch, size);
    results.waiting_batches[size].wait = at(costs.receive, size) + to_seconds(costs.dispatch);
  }
  results.waiting_pinned.wait = to_seconds(costs.dispatch);
  const double batch = at(costs.worker_batch, 0) + results.waiting_batches[0].wait;
  const auto start = [&](double workers) {
    return workers * to_seconds(costs.worker_start) + to_seconds(costs.first_task) + batch;
  };
  results.waiting_batches[0].first_batch = start(1);
  results.many_workers.first_batch = start(4);
  results.waiting_batches[0].epoch_end = to_seconds(costs.worker_exit + costs.worker_stop);
  results.many_workers.epoch_end = to_seconds(costs.worker_exit + 4 * costs.worker_stop);
  results.persistent.first_batch = batch + to_seconds(costs.resume);
  return results;
}

LoaderCosts some_costs() {
  LoaderCosts costs;
  costs.inline_batch = {microseconds(20), 0.5};
  costs.worker_batch = {microseconds(300), 1.0};
  costs.receive = {microseconds(400), 2.0};
  costs.pin = {microseconds(50), 0.25};
  costs.dispatch = microseconds(60);
  costs.worker_start = microseconds(9000);
  costs.first_task = microseconds(5000);
  costs.worker_exit = microseconds(2'000);
  costs.worker_stop = microseconds(700);
  costs.resume = microseconds(80);
  return costs;
}

void expect_near(Nanos found, Nanos expected) {
  EXPECT_NEAR(to_seconds(found), to_seconds(expected), 1e-8);
}

void expect_near(const LinearCost& found, const LinearCost& expected) {
  expect_near(found.fixed, expected.fixed);
  EXPECT_NEAR(found.ns_per_byte, expected.ns_per_byte, 1e-3);
}

TEST(FitCosts, finds_each_cost) {
  const LoaderCosts expected = some_costs();
  const LoaderCosts found = fit_costs(results_of(expected));
  expect_near(found.inline_batch, expected.inline_batch);
  expect_near(found.worker_batch, expected.worker_batch);
  expect_near(found.receive, expected.receive);
  expect_near(found.pin, expected.pin);
  expect_near(found.dispatch, expected.dispatch);
  expect_near(found.worker_start, expected.worker_start);
  expect_near(found.first_task, expected.first_task);
  expect_near(found.worker_exit, expected.worker_exit);
  expect_near(found.worker_stop, expected.worker_stop);
  expect_near(found.resume, expected.resume);
}

TEST(FitCosts, adds_nothing_if_pytorch_is_faster) {
  ProbeResults results = results_of({});
  for (Excess& excess : results.inline_loader) excess.step = -0.001;
  results.many_workers.first_batch = -1.0;
  const LoaderCosts found = fit_costs(results);
  EXPECT_EQ(found.inline_batch.of(kLarge), Nanos(0));
  EXPECT_EQ(found.worker_start, Nanos(0));
}

TEST(FitCosts, uses_the_mean_if_the_slope_is_negative) {
  ProbeResults results = results_of({});
  results.busy_worker[0].step = 300e-6;
  results.busy_worker[1].step = 100e-6;
  const LoaderCosts found = fit_costs(results);
  expect_near(found.worker_batch.of(kSmallFit), microseconds(200));
  expect_near(found.worker_batch.of(kLarge), microseconds(200));
}

TEST(FitCosts, uses_the_larger_size_if_the_fixed_cost_would_be_negative) {
  ProbeResults results = results_of({});
  results.busy_worker[1].step = 110e-6;
  const LoaderCosts found = fit_costs(results);
  expect_near(found.worker_batch.of(kLarge), microseconds(110));
  EXPECT_EQ(found.worker_batch.fixed, Nanos(0));
}

TEST(FitWorkers, the_second_worker_gives_the_consumers_cost_per_worker) {
  LoaderCosts costs;
  costs.worker_sample = microseconds(10);
  costs.dispatch = microseconds(80);
  WorkerExcess workers;
  workers.samples = 32;
  workers.one.first_batch = 0.250;
  workers.two.first_batch = 0.270;
  workers.one.epoch_end = 0.020;
  workers.two.epoch_end = 0.023;
  fit_workers(workers, costs);
  expect_near(costs.worker_start, microseconds(20'000));
  expect_near(costs.first_task, microseconds(250'000 - 20'000 - 320 - 80));
  expect_near(costs.worker_stop, microseconds(3'000));
  expect_near(costs.worker_exit, microseconds(17'000));
}

TEST(FitSample, is_the_rest_of_a_step_without_its_batch) {
  const LinearCost batch{microseconds(100), 0.0};
  Excess excess;
  excess.step = 100e-6 + 32 * 40e-6;
  expect_near(fit_sample(batch, excess, 32, kLarge), microseconds(40));
  excess.step = 0.0;
  EXPECT_EQ(fit_sample(batch, excess, 32, kLarge), Nanos(0));
}

// These figures are of a machine that other programs used.
TEST(fit, costs_of_a_busy_machine_are_not_plausible) {
  LoaderCosts costs;
  costs.inline_sample = std::chrono::microseconds(1300);
  costs.worker_sample = std::chrono::microseconds(1250);
  costs.pin = {std::chrono::microseconds(200), 0.1};
  EXPECT_TRUE(implausible(costs, 6'291'456).empty());
  costs.inline_sample = std::chrono::microseconds(17285);
  EXPECT_EQ(implausible(costs, 6'291'456).size(), 1);
  costs.pin.fixed = std::chrono::milliseconds(143);
  EXPECT_EQ(implausible(costs, 6'291'456).size(), 2);
}

}  // namespace
}  // namespace feedrate
