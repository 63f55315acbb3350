// SPDX-License-Identifier: Apache-2.0
// Tests device_prefetch on the ideal device: a copy of 10 MB takes 10 ms, a step 30 ms. The host
// waits for the device after each step, so that without prefetching copies are between steps.
#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBatchBytes = 10'000'000;

class DevicePrefetch : public ::testing::Test {
 protected:
  std::unique_ptr<Trainer> make(std::size_t prefetch, std::size_t sync_every = 1) {
    return make_device_trainer(*device_,
                               {.non_blocking = true,
                                .sync_every = sync_every,
                                .batch_bytes = kBatchBytes,
                                .device_prefetch = prefetch},
                               make_burn_work(milliseconds(30), 8));
  }

  Batch batch() {
    Batch made;
    made.buffer =
        std::make_shared<OwnedMemory>(device_->allocate_host(kBatchBytes, HostMemory::kPinned));
    kept_.push_back(made.buffer);
    made.bytes_used = kBatchBytes;
    made.labels.resize(8);
    return made;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  std::vector<std::shared_ptr<BatchMemory>> kept_;  // Freeing pinned memory waits for the device.
};

TEST_F(DevicePrefetch, a_step_trains_the_previous_batch) {
  const auto trainer = make(1);
  std::vector<Batch> batches{batch(), batch(), batch()};
  EXPECT_EQ(trainer->step(std::move(batches[0])).trained, milliseconds(0));
  EXPECT_EQ(trainer->step(std::move(batches[1])).trained, milliseconds(40));
  const StepTiming third = trainer->step(std::move(batches[2]));
  EXPECT_EQ(third.copied, milliseconds(40));
  EXPECT_EQ(third.trained, milliseconds(70));
}

TEST_F(DevicePrefetch, copies_overlap_steps_although_the_host_waits_for_each) {
  const auto trainer = make(1);
  std::vector<Batch> batches{batch(), batch(), batch()};
  for (Batch& each : batches) static_cast<void>(trainer->step(std::move(each)));
  const std::vector<DeviceSpans> spans = trainer->finish();
  ASSERT_EQ(spans.size(), 3U);
  const auto expect = [&](std::size_t step, int copy_begin, int compute_begin) {
    EXPECT_EQ(spans[step].copy_begin, milliseconds(copy_begin)) << step;
    EXPECT_EQ(spans[step].copy_end, milliseconds(copy_begin + 10)) << step;
    EXPECT_EQ(spans[step].compute_begin, milliseconds(compute_begin)) << step;
    EXPECT_EQ(spans[step].compute_end, milliseconds(compute_begin + 30)) << step;
  };
  expect(0, 0, 10);
  expect(1, 10, 40);
  expect(2, 40, 70);  // Its step had not run when the last batch was passed.
}

TEST_F(DevicePrefetch, two_batches_wait_on_the_device) {
  const auto trainer = make(2);
  std::vector<Batch> batches{batch(), batch(), batch()};
  EXPECT_EQ(trainer->step(std::move(batches[0])).trained, milliseconds(0));
  EXPECT_EQ(trainer->step(std::move(batches[1])).trained, milliseconds(0));
  EXPECT_EQ(trainer->step(std::move(batches[2])).trained, milliseconds(40));
  const std::vector<DeviceSpans> spans = trainer->finish();
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[2].copy_end, milliseconds(30));
  EXPECT_EQ(spans[2].compute_end, milliseconds(100));
}

// One buffer is trained on, one waits, one is filled; the fourth batch reuses the first buffer.
TEST_F(DevicePrefetch, a_copy_waits_only_for_the_step_that_reads_its_buffer) {
  const auto trainer = make(1, 0);
  std::vector<Batch> batches{batch(), batch(), batch(), batch()};
  for (Batch& each : batches) static_cast<void>(trainer->step(std::move(each)));
  const std::vector<DeviceSpans> spans = trainer->finish();
  ASSERT_EQ(spans.size(), 4U);
  EXPECT_EQ(spans[0].compute_end, milliseconds(40));
  EXPECT_EQ(spans[2].copy_begin, milliseconds(20));
  EXPECT_EQ(spans[3].copy_begin, milliseconds(40));
}

TEST_F(DevicePrefetch, can_be_used_again_after_finish) {
  const auto trainer = make(1);
  std::vector<Batch> batches{batch(), batch()};
  static_cast<void>(trainer->step(std::move(batches[0])));
  EXPECT_EQ(trainer->finish().size(), 1U);
  static_cast<void>(trainer->step(std::move(batches[1])));
  EXPECT_EQ(trainer->finish().size(), 1U);
  EXPECT_TRUE(trainer->finish().empty());
}

}  // namespace
}  // namespace feedrate
