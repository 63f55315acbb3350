// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cell_monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/fork_mutex.h"
#include "core/host/processes.h"
#include "tests/support/wait_until.h"

namespace feedrate {
namespace {

using ::testing::IsEmpty;

constexpr Nanos kOften = std::chrono::milliseconds(1);

double cpu_seconds_of_program() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Counts the waits of all threads; only the monitor's thread waits in these tests.
long count_waits() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

// Compares the monitor's own cost with the kernel's CPU time of the process, which does nothing
// else.
TEST(CellMonitor, counts_its_own_cpu_time) {
  const double before = cpu_seconds_of_program();
  CellMonitor monitor({.dataset = "/", .period = kOften});
  monitor.begin_window();
  monitor.end_window();
  const MonitorRecord record = monitor.finish();
  EXPECT_GT(record.cpu_seconds, 0.0);
  EXPECT_LE(record.cpu_seconds, cpu_seconds_of_program() - before);
  EXPECT_GE(record.seconds, record.window_end->at);
}

TEST(CellMonitor, samples_periodically_and_at_both_ends_of_the_window) {
  CellMonitor monitor({.dataset = "/", .period = kOften});
  monitor.begin_window();
  const long before = count_waits();
  constexpr long kWaitsBetweenSnapshots = 30;  // The monitor waits for three kinds of snapshots.
  while (count_waits() < before + kWaitsBetweenSnapshots) continue;
  monitor.end_window();
  const MonitorRecord record = monitor.finish();
  EXPECT_GE(record.host.size(), 2U);
  ASSERT_TRUE(record.window_begin && record.window_end);
  EXPECT_LT(record.window_begin->at, record.window_end->at);
  EXPECT_GT(record.peak_pss, 0U);
}

pid_t fork_one_that_computes() {
  const std::lock_guard lock(fork_mutex());
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (;;) {
  }
}

TEST(CellMonitor, sees_a_worker_that_computes) {
  CellMonitor monitor({.dataset = {}, .period = kOften});
  const pid_t child = fork_one_that_computes();
  monitor.begin_window();
  const auto has_worked = [&] { return cpu_seconds_of(child).value_or(1.0) > 0.3; };
  testing::wait_until(has_worked);
  monitor.end_window();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const MonitorRecord record = monitor.finish();
  const auto& processes = record.window_end->processes;
  EXPECT_EQ(processes.front().process, ::getpid());
  const auto worker = std::find_if(processes.begin(), processes.end(),
                                   [&](const ProcessTime& one) { return one.process == child; });
  ASSERT_NE(worker, processes.end());
  EXPECT_GE(worker->seconds, 0.3);
}

TEST(CellMonitor, samples_nothing_but_memory_with_only_memory) {
  CellMonitor monitor({.only_memory = true});
  monitor.begin_window();
  monitor.end_window();
  const MonitorRecord record = monitor.finish();
  EXPECT_THAT(record.host, IsEmpty());
  EXPECT_THAT(record.memory, IsEmpty());
  EXPECT_FALSE(record.window_begin);
  EXPECT_GT(record.peak_pss, 0U);
}

TEST(CellMonitor, takes_one_percent_of_a_cpu_at_most) {
  EXPECT_LE(kMostForSnapshots + kMostForProcesses + kMostForMemory, 0.01 + 1e-9);
}

TEST(Pace, waits_longer_after_a_task_that_costs_more_than_its_share) {
  Pace pace(Nanos(100), 0.01);
  EXPECT_TRUE(pace.is_due(Nanos(0)));
  pace.done(Nanos(1000), 0.0);
  EXPECT_FALSE(pace.is_due(Nanos(1099)));
  EXPECT_TRUE(pace.is_due(Nanos(1100)));
  pace.done(Nanos(2000), 1e-6);  // 1 us of CPU time in each 100 us is allowed.
  EXPECT_EQ(pace.next(), Nanos(102'000));
}

}  // namespace
}  // namespace feedrate
