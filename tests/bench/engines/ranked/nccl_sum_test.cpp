// SPDX-License-Identifier: Apache-2.0
// Sums by a fake NCCL, with ranks that are threads, each with a simulated device.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/ranked/gradient_sum.h"
#include "core/clock.h"
#include "core/error.h"
#include "tests/support/fake_nccl.h"
#include "tests/support/fake_of.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/test_device.h"
#include "tests/support/thread_ranks.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using testing::run_thread_ranks;
using testing::ScopedVariable;
using testing::ThreadGroup;

constexpr std::size_t kBytes = 1000;

class NcclSum : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto* const count :
         {&nccl_.init_result, &nccl_.communicators, &nccl_.destroyed, &nccl_.aborted}) {
      *count = 0;
    }
  }
  std::unique_ptr<Device> open() {
    SimulatedDeviceSpec spec = testing::ideal_device_spec();
    spec.move_bytes = true;
    return make_simulated_device(spec, clock_);
  }
  std::unique_ptr<GradientSum> make(ThreadGroup& group, std::string& why_not) {
    return make_nccl_sum(
        group, [this] { return open(); }, kBytes, {}, why_not);
  }

  SteadyClock clock_;
  const ScopedVariable path_{"FEEDRATE_NCCL_PATH", FAKE_NCCL};
  testing::FakeNccl& nccl_ =
      *testing::function_of_fake<testing::FakeNccl*()>(FAKE_NCCL, "fake_nccl")();
};

TEST_F(NcclSum, adds_up_the_own_value_of_each_rank) {
  run_thread_ranks(3, [&](ThreadGroup& group) {
    std::string why_not;
    const auto sum = make(group, why_not);
    ASSERT_TRUE(sum) << why_not;
    EXPECT_EQ(sum->path(), "NCCL 2.27.3");
    for (int step = 0; step < 5; ++step) {
      EXPECT_EQ(sum->add_up(static_cast<float>(group.rank()), {}), 3.0F);
      EXPECT_EQ(sum->add_up(0.0F, {}), 0.0F);
    }
  });
  EXPECT_EQ(nccl_.communicators, 3);
  EXPECT_EQ(nccl_.destroyed, 3);
  EXPECT_EQ(nccl_.aborted, 0);
}

TEST_F(NcclSum, throws_if_a_rank_is_lost_and_aborts_the_communicator) {
  std::atomic<int> lost = 0;
  run_thread_ranks(3, [&](ThreadGroup& group) {
    std::string why_not;
    const auto sum = make(group, why_not);
    if (group.rank() == 1) throw Error("killed");
    try {
      static_cast<void>(sum->add_up(0.0F, {}));
    } catch (const RankLost& error) {
      EXPECT_EQ(error.rank(), 1);
      ++lost;
    }
  });
  EXPECT_EQ(lost, 2);
  EXPECT_EQ(nccl_.aborted, 2);
}

TEST_F(NcclSum, is_null_in_all_ranks_if_one_has_no_library) {
  run_thread_ranks(2, [&](ThreadGroup& group) {
    std::string why_not;
    const auto sum = make_nccl_sum(
        group,
        [&]() -> std::unique_ptr<Device> {
          if (group.rank() == 1) throw DeviceError("cuda:1: there is no such GPU");
          return open();
        },
        kBytes, {}, why_not);
    EXPECT_FALSE(sum);
    EXPECT_THAT(why_not, HasSubstr("cuda:1: there is no such GPU"));
  });
  EXPECT_EQ(nccl_.communicators, 0);
}

// NCCL refuses two ranks on one GPU.
TEST_F(NcclSum, is_null_if_nccl_fails) {
  nccl_.init_result = 5;
  run_thread_ranks(2, [&](ThreadGroup& group) {
    std::string why_not;
    EXPECT_FALSE(make(group, why_not));
    EXPECT_THAT(why_not, HasSubstr("invalid usage (5)"));
  });
}

TEST(NcclLibrary, is_named_if_it_is_missing) {
  const ScopedVariable path("FEEDRATE_NCCL_PATH", "/nowhere/libnccl.so.2");
  run_thread_ranks(2, [](ThreadGroup& group) {
    std::string why_not;
    const auto never = []() -> std::unique_ptr<Device> { throw DeviceError("was opened"); };
    EXPECT_FALSE(make_nccl_sum(group, never, kBytes, {}, why_not));
    EXPECT_THAT(why_not, HasSubstr("/nowhere/libnccl.so.2"));
  });
}

}  // namespace
}  // namespace feedrate
