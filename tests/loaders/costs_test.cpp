// SPDX-License-Identifier: Apache-2.0
// Costs are spent where PyTorch spends them: each cost is so large that its call cannot be shorter.
#include "loaders/costs.h"

#include <gtest/gtest.h>

#include "loaders/loader.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

using std::chrono::milliseconds;

constexpr Nanos kCost = milliseconds(20);

TEST(LinearCost, grows_with_the_bytes) {
  const LinearCost cost{Nanos(500), 0.25};
  EXPECT_EQ(cost.of(0), Nanos(500));
  EXPECT_EQ(cost.of(4000), Nanos(1500));
}

class Costs : public ::testing::Test {
 protected:
  std::unique_ptr<Loader> make(const LoaderOptions& options, const LoaderCosts& costs) {
    ResolvedLoaderOptions resolved = resolve(options);
    resolved.costs = costs;
    return make_loader(dataset_, resolved, *device_);
  }

  template <typename Work>
  Nanos duration(Work work) const {
    const Nanos start = clock_.now();
    work();
    return clock_.now() - start;
  }

  Nanos duration_of_next(Loader& loader) const {
    return duration([&] { EXPECT_TRUE(loader.next({})); });
  }

  ScriptedDataset dataset_{64};
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

TEST_F(Costs, without_workers_all_is_spent_in_next) {
  LoaderCosts costs;
  costs.inline_sample = kCost;
  costs.inline_batch = {kCost, 0.0};
  costs.pin = {kCost, 0.0};
  const auto loader = make({.batch_size = 3, .pin_memory = true}, costs);
  loader->start_epoch(0, 1);
  EXPECT_GE(duration_of_next(*loader), 5 * kCost);
}

TEST_F(Costs, a_batch_that_is_returned_costs_dispatch_in_next) {
  LoaderCosts costs;
  costs.dispatch = kCost;
  for (const bool pin_memory : {false, true}) {
    const auto loader = make({.num_workers = 1, .pin_memory = pin_memory}, costs);
    loader->start_epoch(0, 2);
    EXPECT_GE(duration_of_next(*loader), kCost);
  }
}

TEST_F(Costs, a_worker_spends_samples_and_batch_before_its_batch_is_there) {
  LoaderCosts costs;
  costs.worker_sample = kCost;
  costs.worker_batch = {kCost, 0.0};
  costs.first_task = kCost;
  const auto loader = make({.batch_size = 2, .num_workers = 1}, costs);
  EXPECT_GE(duration([&] {
              loader->start_epoch(0, 1);
              EXPECT_TRUE(loader->next({}));
            }),
            4 * kCost);
}

TEST_F(Costs, pinning_is_spent_before_the_batch_is_there) {
  LoaderCosts costs;
  costs.pin = {kCost, 0.0};
  const auto loader = make({.num_workers = 1, .pin_memory = true}, costs);
  EXPECT_GE(duration([&] {
              loader->start_epoch(0, 1);
              EXPECT_TRUE(loader->next({}));
            }),
            kCost);
}

TEST_F(Costs, each_worker_costs_its_start_in_start_epoch) {
  LoaderCosts costs;
  costs.worker_start = kCost;
  const auto loader = make({.num_workers = 3}, costs);
  EXPECT_GE(duration([&] { loader->start_epoch(0, 1); }), 3 * kCost);
}

TEST_F(Costs, a_worker_begins_when_its_start_is_spent) {
  LoaderCosts costs;
  costs.worker_start = kCost;
  const auto loader = make({.num_workers = 1}, costs);
  const Nanos before = SteadyClock().now();
  loader->start_epoch(0, 1);
  EXPECT_GE(loader->next({})->history.fetch_begin - before, kCost);
}

TEST_F(Costs, persistent_workers_cost_their_resume_in_start_epoch) {
  LoaderCosts costs;
  costs.resume = kCost;
  const auto loader = make({.num_workers = 1, .persistent_workers = true}, costs);
  loader->start_epoch(0, 1);
  while (loader->next({})) {
  }
  EXPECT_GE(duration([&] { loader->start_epoch(1, 1); }), kCost);
}

TEST_F(Costs, receiving_is_spent_in_next_where_there_is_no_pin_thread) {
  LoaderCosts costs;
  costs.receive = {kCost, 0.0};
  const auto loader = make({.num_workers = 1}, costs);
  loader->start_epoch(0, 2);
  EXPECT_GE(duration_of_next(*loader), kCost);
}

TEST_F(Costs, a_worker_spends_its_own_end_before_it_is_gone) {
  LoaderCosts costs;
  costs.worker_exit = kCost;
  const auto loader = make({.num_workers = 1}, costs);
  loader->start_epoch(0, 1);
  EXPECT_TRUE(loader->next({}));
  EXPECT_GE(duration([&] { EXPECT_FALSE(loader->next({})); }), kCost);
}

TEST_F(Costs, each_worker_costs_its_end_at_the_end_of_an_epoch) {
  LoaderCosts costs;
  costs.worker_stop = kCost;
  const auto loader = make({.num_workers = 2}, costs);
  loader->start_epoch(0, 1);
  EXPECT_TRUE(loader->next({}));
  EXPECT_GE(duration([&] { EXPECT_FALSE(loader->next({})); }), 2 * kCost);
}

}  // namespace
}  // namespace feedrate::testing
