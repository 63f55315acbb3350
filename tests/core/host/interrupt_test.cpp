// SPDX-License-Identifier: Apache-2.0
#include "core/host/interrupt.h"

#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/host/console.h"

namespace feedrate {
namespace {

using ::testing::ExitedWithCode;

// That a second signal within a moment is none is in tests/program/interrupt_test.cpp.
TEST(InterruptDeathTest, ends_a_program_that_only_reads_at_once) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          const Interrupt interrupt(true);
          ::kill(::getpid(), signal);
          for (;;) ::pause();
        },
        ExitedWithCode(kExitInterrupted), "interrupted");
  }
}

// However long it takes to stop: signals come until one of them is a second behind the first.
TEST(InterruptDeathTest, ends_at_once_by_another_signal_after_a_second) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto stop_for_ever = [](int first) {
    const Interrupt interrupt(false);
    ::kill(::getpid(), first);
    while (!interrupt.token().stop_requested()) std::this_thread::yield();
    for (;;) {
      ::kill(::getpid(), SIGINT);
      std::this_thread::yield();
    }
  };
  EXPECT_EXIT(stop_for_ever(SIGTERM), ExitedWithCode(kExitInterrupted), "send the signal again");
  EXPECT_EXIT(stop_for_ever(SIGUSR1), ExitedWithCode(kExitTryAgain), "send the signal again");
}

TEST(InterruptDeathTest, says_that_it_was_the_limit_of_cpu_time) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Interrupt interrupt(true);
        ::kill(::getpid(), SIGXCPU);
        for (;;) ::pause();
      },
      ExitedWithCode(kExitInterrupted), "ulimit -t");
}

}  // namespace
}  // namespace feedrate
