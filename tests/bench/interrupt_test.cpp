#include "bench/interrupt.h"

#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/console.h"

namespace feedrate {
namespace {

using ::testing::ExitedWithCode;

// That a second signal within a moment is none is in tests/cli/interrupt_test.cpp.
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
