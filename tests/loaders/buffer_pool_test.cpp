#include "loaders/buffer_pool.h"

#include <gtest/gtest.h>

#include "tests/support/test_device.h"

namespace feedrate {
namespace {

TEST(BufferPool, lends_the_same_memory_again) {
  SteadyClock clock;
  const auto device = testing::make_ideal_device(clock);
  BufferPool pool(*device, HostMemory::kPageable, 4096);
  const std::byte* first = pool.acquire()->bytes().data();
  EXPECT_EQ(pool.acquire()->bytes().data(), first);
}

TEST(BufferPool, never_lends_one_buffer_twice_at_a_time) {
  SteadyClock clock;
  const auto device = testing::make_ideal_device(clock);
  BufferPool pool(*device, HostMemory::kPageable, 4096);
  const auto a = pool.acquire();
  const auto b = pool.acquire();
  EXPECT_NE(a->bytes().data(), b->bytes().data());
}

TEST(BufferPool, pins_where_it_is_asked_to) {
  SteadyClock clock;
  const auto device = testing::make_ideal_device(clock);
  BufferPool pool(*device, HostMemory::kPinned, 4096);
  EXPECT_EQ(pool.acquire()->kind(), HostMemory::kPinned);
  EXPECT_EQ(device->pinned_bytes(), 4096U);
}

TEST(BufferPool, a_lease_may_outlive_it) {
  SteadyClock clock;
  const auto device = testing::make_ideal_device(clock);
  std::shared_ptr<const HostBuffer> lease;
  {
    BufferPool pool(*device, HostMemory::kPinned, 4096);
    lease = pool.acquire();
  }
  EXPECT_EQ(lease->size(), 4096U);
  lease.reset();
  EXPECT_EQ(device->pinned_bytes(), 0U);
}

}  // namespace
}  // namespace feedrate
