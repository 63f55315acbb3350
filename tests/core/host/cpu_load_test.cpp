// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_load.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/host/processes.h"
#include "tests/support/wait_until.h"

namespace feedrate {
namespace {

// Two processors for ten seconds: 14 s idle, so that 6 s of 20 are busy.
CpuLoadMark begin() {
  return {.at = 100.0, .cpus = {{0, 50, 80}, {1, 50, 80}}, .online = 2, .own = 7, .kernel = 3};
}
CpuLoadMark end() {
  return {.at = 110.0,
          .cpus = {{0, 54, 90, 0.25, 0.5}, {1, 51, 89, 0.25, 0.0}},
          .online = 2,
          .own = 9,
          .kernel = 3.5};
}

TEST(CpuLoad, foreign_is_the_rest_of_busy_time) {
  const CpuLoad load = *cpu_load_between(begin(), end());
  EXPECT_DOUBLE_EQ(load.seconds, 10.0);
  EXPECT_DOUBLE_EQ(load.cpus, 2.0);
  EXPECT_NEAR(load.busy, 0.6, 1e-12) << "by what was idle: the ticks of the rest are samples";
  EXPECT_NEAR(load.stolen, 0.05, 1e-12);
  // 0.5 s are stolen, 0.5 interrupts, 2 ours, 0.5 the kernel's: 2.5 of 6 remain.
  EXPECT_NEAR(load.foreign, 0.25, 1e-12);
}

TEST(CpuLoad, of_kernel_threads_is_scaled_to_the_requested_processors) {
  CpuLoadMark before = begin(), after = end();
  before.online = after.online = 20;
  EXPECT_NEAR(cpu_load_between(before, after)->foreign, 0.295, 1e-12);
}

TEST(CpuLoad, is_never_negative) {
  CpuLoadMark after = end();
  after.own += 100.0;
  EXPECT_EQ(cpu_load_between(begin(), after)->foreign, 0.0);
}

TEST(CpuLoad, is_not_known_where_the_kernel_does_not_count) {
  CpuLoadMark before = begin(), after = end();
  after.cpus = before.cpus;
  EXPECT_FALSE(cpu_load_between(before, after));
  before.cpus.clear();
  after.cpus.clear();
  EXPECT_FALSE(cpu_load_between(before, after));
}

void compute_for(double seconds) {
  const double until = *cpu_seconds_of(::getpid()) + seconds;
  while (*cpu_seconds_of(::getpid()) < until) {
  }
}

TEST(CpuLoad, of_our_own_includes_ended_children) {
  const CpuLoadMark before = mark_cpu_load(allowed_cpu_list());
  const pid_t child = ::fork();
  if (child == 0) {
    compute_for(0.1);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_GE(mark_cpu_load(allowed_cpu_list()).own, before.own + 0.08);
}

// Starts a grandchild whose parent ends, so that it is not a descendant of ours.
pid_t start_foreign_burner() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const pid_t burner = ::fork();
    if (burner == 0) {
      for (;;) {
      }
    }
    const bool is_written = ::write(ends[1], &burner, sizeof burner) == sizeof burner;
    ::_exit(is_written ? 0 : 1);
  }
  pid_t burner = 0;
  EXPECT_EQ(::read(ends[0], &burner, sizeof burner), static_cast<ssize_t>(sizeof burner));
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
  ::close(ends[0]);
  ::close(ends[1]);
  return burner;
}

// Compares with the CPU time of the burner, so that other load of this machine does not matter.
TEST(CpuLoad, sees_a_program_that_is_not_ours) {
  const pid_t burner = start_foreign_burner();
  const double burnt_before = *cpu_seconds_of(burner);
  const CpuLoadMark before = mark_cpu_load(allowed_cpu_list());
  testing::wait_until([&] { return *cpu_seconds_of(burner) >= burnt_before + 0.5; });
  const double burnt = *cpu_seconds_of(burner) - burnt_before;
  const CpuLoad load = *cpu_load_between(before, mark_cpu_load(allowed_cpu_list()));
  ::kill(burner, SIGKILL);
  EXPECT_GE((load.foreign + load.stolen) * load.seconds, 0.9 * burnt - 0.05);
}

}  // namespace
}  // namespace feedrate
