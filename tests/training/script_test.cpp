// SPDX-License-Identifier: Apache-2.0
#include "training/script.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/error.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

using ::testing::HasSubstr;

int status_of(Script& script) {
  std::optional<int> status;
  while (!(status = script.status())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return *status;
}

int exit_code_of(const std::string& text, const EnvironmentVariables& set = {}) {
  sigset_t none;
  ::sigemptyset(&none);
  Script script({"sh", "-c", text}, set, none);
  return WEXITSTATUS(status_of(script));
}

TEST(Script, returns_its_exit_code) { EXPECT_EQ(exit_code_of("exit 7"), 7); }

TEST(Script, has_the_environment_of_feedrate_and_what_is_added) {
  ::setenv("FEEDRATE_TEST_A", "old", 1);
  EXPECT_EQ(exit_code_of(R"(test "$FEEDRATE_TEST_A" = new)", {{"FEEDRATE_TEST_A", "new"}}), 0);
  EXPECT_EQ(exit_code_of(R"(test "$FEEDRATE_TEST_A" = old)"), 0);
  ::unsetenv("FEEDRATE_TEST_A");
}

TEST(Script, that_cannot_be_started_is_named) {
  sigset_t none;
  ::sigemptyset(&none);
  try {
    const Script script({"/no/such/program"}, {}, none);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/program: cannot be started"));
  }
}

TEST(ForwardedSignals, sent_to_feedrate_reach_the_script) {
  const TempFolder folder;
  const std::string ready = folder / "ready";
  ForwardedSignals signals;
  Script script({"sh", "-c", R"(trap 'exit 9' TERM; : >"$READY"; while :; do sleep 0.01; done)"},
                {{"READY", ready}}, signals.usual_mask());
  while (!std::filesystem::exists(ready)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(signals.forward(script.id()));
  EXPECT_EQ(WEXITSTATUS(status_of(script)), 9);
}

TEST(ExitAs, returns_the_code_of_a_script_that_ended_by_itself) { EXPECT_EQ(exit_as(3 << 8), 3); }

TEST(ExitAs, ends_by_the_signal_that_ended_the_script) {
  EXPECT_EXIT(static_cast<void>(exit_as(SIGTERM)), ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace feedrate::testing
