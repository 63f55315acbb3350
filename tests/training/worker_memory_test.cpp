// SPDX-License-Identifier: Apache-2.0
#include "training/worker_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/host/memory.h"
#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::HasSubstr;

WatchedLoader watched_of(std::size_t batch_bytes) {
  WatchedLoader watched;
  watched.loader = made_loader();
  watched.process.id = ::getpid();
  watched.copies.batch_bytes = batch_bytes;
  return watched;
}

TEST(WorkerMemory, includes_all_batches_in_flight) {
  ScriptLoader wanted = made_loader(4);
  wanted.prefetch_factor = 3;
  const MemoryNeed need = need_of(watched_of(1'000), wanted, 50'000);
  EXPECT_EQ(need.shm, 16'000U) << "4 workers have 3 each ready, and are making one each";
  EXPECT_EQ(need.host, 216'000U);
}

TEST(WorkerMemory, is_0_without_workers) {
  const MemoryNeed need = need_of(watched_of(1'000), made_loader(), 50'000);
  EXPECT_EQ(need.shm, 0U);
  EXPECT_EQ(need.host, 0U);
}

TEST(WorkerMemory, does_not_suffice_for_batches_of_a_terabyte) {
  EXPECT_THAT(why_no_memory(watched_of(std::size_t{1} << 40), made_loader(4)), HasSubstr("memory"));
  EXPECT_EQ(why_no_memory(watched_of(16), made_loader(1)), "");
}

TEST(WorkerMemory, of_a_worker_is_that_of_the_largest_one) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(bytes_of_a_worker({150 * kMiB, 300 * kMiB}, 2'000 * kMiB), 300 * kMiB);
  EXPECT_EQ(bytes_of_a_worker({1}, 2'000 * kMiB), 100 * kMiB);
}

TEST(WorkerMemory, of_an_unseen_worker_is_that_of_the_training) {
  EXPECT_EQ(bytes_of_a_worker({}, std::uint64_t{1} << 31), std::uint64_t{1} << 31);
}

TEST(WorkerMemory, suffices_for_one_worker_until_one_is_measured) {
  WatchedLoader watched = watched_of(16);
  EXPECT_EQ(most_workers_now(watched), 1U);
  watched.workers = {::getpid()};
  EXPECT_GT(most_workers_now(watched), 1'000U);
}

TEST(WorkerMemory, includes_all_ranks) {
  const MemoryInfo memory = read_memory_info();
  if (memory.may_grow) GTEST_SKIP() << "the memory of this machine may grow";
  WatchedLoader watched = watched_of(*memory.shm_free / 16);
  watched.workers = {::getpid()};
  EXPECT_EQ(why_no_memory(watched, made_loader(1)), "");
  watched.loader.ranks = 16;
  EXPECT_NE(why_no_memory(watched, made_loader(1)), "");
}

}  // namespace
}  // namespace feedrate::testing
