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

// tests/program/interrupt_test.cpp tests that a second signal within a moment is ignored.
TEST(InterruptDeathTest, ends_at_once_with_at_once) {
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

// Signals come until one of them is a second after the first.
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

TEST(InterruptDeathTest, names_the_limit_of_cpu_time) {
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
