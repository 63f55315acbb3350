// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/step_barrier.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thread_ranks.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using testing::run_thread_ranks;
using testing::ThreadGroup;

BarrierPlan plan(std::size_t agreements_before = 0) {
  return {.agreements_before = agreements_before, .steps_of_epochs = {2, 3}};
}

void run_epochs(StepBarrier& barrier) {
  for (const int steps : {2, 3}) {
    barrier.begin_epoch();
    for (int step = 0; step < steps; ++step) barrier.all_reduce();
  }
}

TEST(StepBarrier, waits_before_each_epoch_and_after_each_step) {
  run_thread_ranks(3, [](ThreadGroup& group) {
    StepBarrier barrier(group, plan(), make_group_sum(group, 10), {});
    run_epochs(barrier);
    EXPECT_THAT(group.calls(),
                ElementsAre("agree", "reduce", "reduce", "agree", "reduce", "reduce", "reduce"));
  });
}

TEST(StepBarrier, waits_only_before_epochs_if_nothing_is_reduced) {
  run_thread_ranks(2, [](ThreadGroup& group) {
    StepBarrier barrier(group, plan(), nullptr, {});
    run_epochs(barrier);
    EXPECT_THAT(group.calls(), ElementsAre("agree", "agree"));
    EXPECT_FALSE(barrier.reduces());
  });
}

// Wherever rank 1 gives up, the others end at the same step, and the group can be used afterwards.
class GivingUp : public ::testing::TestWithParam<std::tuple<std::size_t, int>> {};

TEST_P(GivingUp, ends_all_ranks_and_keeps_the_group) {
  const auto [bytes, after] = GetParam();
  std::atomic<int> warned = 0;
  std::atomic<int> met = 0;
  run_thread_ranks(3, [&, bytes = bytes, after = after](ThreadGroup& group) {
    StepBarrier barrier(group, plan(1), bytes == 0 ? nullptr : make_group_sum(group, bytes), {});
    int calls = 0;
    const auto goes_on = [&] { return group.rank() != 1 || calls++ < after; };
    const auto run = [&] {
      if (!goes_on()) return false;
      barrier.agree();
      for (const int steps : {2, 3}) {
        if (!goes_on()) return false;
        barrier.begin_epoch();
        for (int step = 0; step < steps; ++step) {
          if (!goes_on()) return false;
          barrier.all_reduce();
        }
      }
      return goes_on();
    };
    try {
      if (!run()) barrier.give_up();
    } catch (const PeerFailed&) {
      ++warned;
    }
    group.barrier({});
    ++met;
  });
  EXPECT_EQ(met, 3);
  // No rank learns of a failure after the last barrier: each has its own report.
  const bool is_at_the_end = after == 8 || (bytes == 0 && after > 4);
  EXPECT_EQ(warned, is_at_the_end ? 0 : 2);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, GivingUp,
                         ::testing::Combine(::testing::Values(0U, 8U), ::testing::Range(0, 9)));

}  // namespace
}  // namespace feedrate
