// SPDX-License-Identifier: Apache-2.0
// The cost of handing over a batch does not depend on its samples; it is counted in allocations.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "loaders/loader.h"
#include "tests/support/counting_dataset.h"
#include "tests/support/loading_way.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

/// Allocations of some batches, by the consumer's thread and by the only worker's.
struct Cost {
  std::size_t consumer = 0;
  std::size_t worker = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
};

void PrintTo(const Cost& cost, std::ostream* out) {
  *out << cost.consumer << " allocations by the consumer, " << cost.worker << " by the worker";
}

class HandOver : public ::testing::TestWithParam<LoadingWay> {
 protected:
  Cost cost_of(std::int64_t batch_size) {
    constexpr std::size_t kBatches = 8;
    LoadingWay way = GetParam();
    way.num_workers = std::min<std::int64_t>(way.num_workers, 1);
    const ScriptedDataset samples(1000);
    const CountingDataset counting(samples);
    const auto loader = make_loader(counting, resolve(way.options(batch_size)), *device_);
    // All batches are held at once here, so that no buffer is new later.
    for (int round = 0; round < 2; ++round) load_epoch(*loader, kBatches);
    counting.counts().on = true;
    loader->start_epoch(0, kBatches);
    const std::size_t before = allocations();
    while (loader->next({})) {
    }
    const std::size_t after = allocations();
    EXPECT_EQ(counting.counts().samples.load(), kBatches * static_cast<std::size_t>(batch_size));
    return {after - before, counting.counts().between.load()};
  }

  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
};

TEST_P(HandOver, takes_as_many_allocations_for_a_large_batch_as_for_a_small_one) {
  EXPECT_EQ(cost_of(64), cost_of(2));
}

INSTANTIATE_TEST_SUITE_P(Ways, HandOver, ::testing::ValuesIn(kLoadingWays),
                         [](const auto& row) { return row.param.name(); });

}  // namespace
}  // namespace feedrate::testing
