// SPDX-License-Identifier: Apache-2.0
#include "loaders/pinned_cache.h"

#include <gtest/gtest.h>

#include "tests/support/test_device.h"

namespace feedrate::testing {
namespace {

class PinnedCacheTest : public ::testing::Test {
 protected:
  // The device reads this memory for 10 ms; it is released at once.
  const std::byte* use_and_release(std::size_t size) {
    const auto memory = cache_.acquire(size);
    stream_.copy_to_device(target_, memory->bytes());
    memory->record_stream(stream_);
    return memory->bytes().data();
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_ideal_device(clock_);
  DeviceStream& stream_ = device_->default_stream();
  DeviceBuffer target_ = device_->allocate(10'000'000);
  PinnedCache cache_{*device_};
};

TEST_F(PinnedCacheTest, rounds_up_to_powers_of_two) {
  const auto odd = cache_.acquire(129);
  EXPECT_EQ(odd->bytes().size(), 129U);
  EXPECT_EQ(device_->pinned_bytes(), 256U);
  const auto exact = cache_.acquire(1024);
  EXPECT_EQ(device_->pinned_bytes(), 256U + 1024U);
}

TEST_F(PinnedCacheTest, gives_the_block_of_that_size_that_was_freed_last) {
  auto first = cache_.acquire(4096);
  auto second = cache_.acquire(3000);
  const std::byte* last = first->bytes().data();
  second.reset();
  first.reset();
  EXPECT_EQ(cache_.acquire(2500)->bytes().data(), last);
  EXPECT_EQ(device_->pinned_bytes(), 8192U);
}

TEST_F(PinnedCacheTest, does_not_split_a_larger_block) {
  cache_.acquire(4096).reset();
  const auto small = cache_.acquire(64);
  EXPECT_EQ(device_->pinned_bytes(), 4096U + 64U);
}

TEST_F(PinnedCacheTest, keeps_a_block_until_the_device_has_read_it) {
  const std::byte* busy = use_and_release(10'000'000);
  EXPECT_NE(cache_.acquire(10'000'000)->bytes().data(), busy);
  device_->synchronize();
  const auto a = cache_.acquire(10'000'000);
  const auto b = cache_.acquire(10'000'000);
  EXPECT_TRUE(a->bytes().data() == busy || b->bytes().data() == busy);
}

// The event is recorded at the release, after all work queued on the stream until then.
TEST_F(PinnedCacheTest, waits_for_all_work_queued_before_the_release) {
  const std::byte* data = nullptr;
  {
    const auto memory = cache_.acquire(1'000'000);
    data = memory->bytes().data();
    stream_.copy_to_device(target_, memory->bytes());
    memory->record_stream(stream_);
    stream_.burn(std::chrono::milliseconds(30));
  }
  clock_.sleep_for(std::chrono::milliseconds(10));  // The copy is done, the step is not.
  EXPECT_NE(cache_.acquire(1'000'000)->bytes().data(), data);
}

TEST_F(PinnedCacheTest, a_blocking_copy_leaves_the_block_free) {
  const std::byte* data = nullptr;
  {
    const auto memory = cache_.acquire(4096);
    data = memory->bytes().data();
    stream_.copy_to_device(target_, memory->bytes());
    stream_.synchronize();
    stream_.burn(std::chrono::milliseconds(30));
  }
  EXPECT_EQ(cache_.acquire(4096)->bytes().data(), data);
}

// PyTorch polls events first in, first out, and stops at the first incomplete one.
TEST_F(PinnedCacheTest, a_busy_block_holds_back_those_that_were_given_back_later) {
  const auto quick = device_->create_stream(StreamKind::kNonBlocking);
  use_and_release(10'000'000);
  const std::byte* done = nullptr;
  {
    const auto memory = cache_.acquire(4096);
    done = memory->bytes().data();
    memory->record_stream(*quick);
  }
  EXPECT_NE(cache_.acquire(4096)->bytes().data(), done);
}

TEST_F(PinnedCacheTest, lent_memory_may_outlive_it) {
  std::shared_ptr<BatchMemory> lease;
  {
    PinnedCache cache(*device_);
    lease = cache.acquire(4096);
  }
  EXPECT_EQ(device_->pinned_bytes(), 4096U);
  lease.reset();
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

}  // namespace
}  // namespace feedrate::testing
