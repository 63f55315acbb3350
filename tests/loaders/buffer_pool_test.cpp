// SPDX-License-Identifier: Apache-2.0
#include "loaders/buffer_pool.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(BufferPool, lends_the_same_memory_again) {
  BufferPool pool(4096);
  const std::byte* first = pool.acquire(4096)->bytes().data();
  EXPECT_EQ(pool.acquire(4096)->bytes().data(), first);
}

TEST(BufferPool, never_lends_one_buffer_twice_at_a_time) {
  BufferPool pool(4096);
  const auto a = pool.acquire(4096);
  const auto b = pool.acquire(4096);
  EXPECT_NE(a->bytes().data(), b->bytes().data());
}

TEST(BufferPool, lends_the_part_that_is_asked_for) {
  BufferPool pool(4096);
  EXPECT_EQ(pool.acquire(100)->bytes().size(), 100U);
  EXPECT_EQ(pool.acquire(4096)->bytes().size(), 4096U);
}

TEST(BufferPool, a_lease_may_outlive_it) {
  std::shared_ptr<BatchMemory> lease;
  {
    BufferPool pool(4096);
    lease = pool.acquire(4096);
  }
  EXPECT_EQ(lease->bytes().size(), 4096U);
  EXPECT_EQ(lease->kind(), HostMemory::kPageable);
}

}  // namespace
}  // namespace feedrate
