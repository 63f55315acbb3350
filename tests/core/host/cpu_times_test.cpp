// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Ticks are hundredths of a second on every machine that these tests have seen.
constexpr const char* kStat =
    "cpu  999 0 0 999 0 0 0 0 0 0\n"
    "cpu0 100 10 20 500 50 3 4 5 90 0\n"
    "cpu2 0 0 0 800 0 0 0 0 0 0\n"
    "cpu10 7 0 0 0 0 0 0 0 0 0\n"
    "intr 1 2 3\nctxt 5\n";

TEST(CpuTimes, idle_and_waiting_for_storage_are_not_busy_and_guests_count_once) {
  const FakeRoot root;
  root.write("proc/stat", kStat);
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::vector<CpuTime> times = read_cpu_times({}, root.path());
  ASSERT_THAT(times, SizeIs(3));
  EXPECT_EQ(times[0].cpu, 0);
  EXPECT_DOUBLE_EQ(times[0].busy * ticks, 142.0);
  EXPECT_DOUBLE_EQ(times[0].total * ticks, 692.0);
  EXPECT_DOUBLE_EQ(times[0].interrupts * ticks, 7.0);
  EXPECT_DOUBLE_EQ(times[0].stolen * ticks, 5.0);
  EXPECT_EQ(times[1].cpu, 2);
  EXPECT_EQ(times[1].busy, 0.0);
  EXPECT_EQ(times[2].cpu, 10);
}

TEST(CpuTimes, are_those_of_the_processors_asked_for) {
  const FakeRoot root;
  root.write("proc/stat", kStat);
  const std::vector<CpuTime> times = read_cpu_times({10, 11}, root.path());
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_EQ(times[0].cpu, 10);
}

TEST(CpuTimes, are_empty_if_the_kernel_does_not_count) {
  const FakeRoot root;
  EXPECT_THAT(read_cpu_times({}, root.path()), IsEmpty());
}

TEST(CpuTimes, of_this_machine_grow) {
  const CpuList allowed = allowed_cpu_list();
  ASSERT_FALSE(allowed.empty());
  const std::vector<CpuTime> times = read_cpu_times(allowed);
  ASSERT_THAT(times, SizeIs(allowed.size()));
  for (const CpuTime& time : times) EXPECT_GE(time.total, time.busy);
}

}  // namespace
}  // namespace feedrate
