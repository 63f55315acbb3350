// SPDX-License-Identifier: Apache-2.0
#include "core/host/processes.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

TEST(ProcessTree, begins_with_the_process_and_goes_down_by_every_thread) {
  const FakeRoot root;
  root.write("proc/100/task/100/children", "200 ");
  root.write("proc/100/task/101/children", "300 ");
  root.write("proc/200/task/200/children", "400 ");
  EXPECT_EQ(process_tree(root.path(), 100).front(), 100);
  EXPECT_THAT(process_tree(root.path(), 100), ::testing::UnorderedElementsAre(100, 200, 300, 400));
  EXPECT_THAT(children_of(root.path(), 200), ElementsAre(400));
}

TEST(ProcessTree, of_a_process_that_is_gone_is_itself_alone) {
  const FakeRoot root;
  EXPECT_THAT(process_tree(root.path(), 100), ElementsAre(100));
}

TEST(CpuSeconds, of_this_process_hold_those_of_its_threads) {
  const double before = *cpu_seconds_of(::getpid());
  std::jthread other([] {
    while (to_seconds(thread_cpu_time()) < 0.02) {
    }
  });
  other.join();
  EXPECT_GE(*cpu_seconds_of(::getpid()), before + 0.02);
}

TEST(CpuSeconds, of_a_process_that_was_waited_for_are_not_known) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(cpu_seconds_of(child), std::nullopt);
}

TEST(CpuSeconds, of_children_that_have_ended_are_their_parents) {
  const FakeRoot root;
  root.write("proc/100/stat", "100 (a) b) S 1 100 100 0 -1 0 0 0 0 0 5 6 70 30 20 0 1\n");
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(ended_children_cpu_seconds_of(root.path(), 100) * ticks, 100.0);
  EXPECT_EQ(ended_children_cpu_seconds_of(root.path(), 101), 0.0);
}

TEST(KernelThreads, are_the_children_of_theirs) {
  const FakeRoot root;
  root.write("proc/2/task/2/children", "3 4 ");
  root.write("proc/2/comm", "bash\n");
  EXPECT_THAT(kernel_threads(root.path()), ::testing::IsEmpty()) << "in a container";
  root.write("proc/2/comm", "kthreadd\n");
  EXPECT_THAT(kernel_threads(root.path()), ElementsAre(3, 4));
}

}  // namespace
}  // namespace feedrate
