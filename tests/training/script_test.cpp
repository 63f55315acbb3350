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
  const InheritedSignals signals;
  Script script({"sh", "-c", text}, set, signals);
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
  const InheritedSignals signals;
  try {
    const Script script({"/no/such/program"}, {}, signals);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/program: cannot be started"));
  }
}

// What a signal is set to while this lives.
class Disposition {
 public:
  Disposition(int signal, void (*action)(int)) : signal_(signal) {
    struct sigaction wanted {};
    wanted.sa_handler = action;
    ::sigaction(signal, &wanted, &usual_);
  }
  Disposition(const Disposition&) = delete;
  Disposition& operator=(const Disposition&) = delete;
  ~Disposition() { ::sigaction(signal_, &usual_, nullptr); }

 private:
  int signal_;
  struct sigaction usual_ {};
};

// As a parent leaves it that does not wait for its children. The kernel then discards the status
// of a child.
TEST(Script, returns_its_exit_code_where_feedrate_was_started_with_sigchld_ignored) {
  const Disposition ignored(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(exit_code_of("exit 7"), 7);
}

// Not asked by a shell, which sets signals itself. SigIgn is a mask in hexadecimal digits: signal
// n is bit n - 1.
int exit_code_of_grep(const std::string& ignored) {
  const InheritedSignals signals;
  Script script({"grep", "-q", "SigIgn:.*" + ignored, "/proc/self/status"}, {}, signals);
  return WEXITSTATUS(status_of(script));
}

TEST(Script, inherits_the_dispositions_that_feedrate_was_started_with) {
  const Disposition file_size(SIGXFSZ, SIG_DFL);
  {
    const Disposition child(SIGCHLD, SIG_IGN);
    EXPECT_EQ(exit_code_of_grep("[02468ace].[13579bdf]....$"), 0);
  }
  const Disposition child(SIGCHLD, SIG_DFL);
  EXPECT_EQ(exit_code_of_grep("[02468ace].[02468ace]....$"), 0);
}

TEST(ForwardedSignals, sent_to_feedrate_reach_the_script) {
  const TempFolder folder;
  const std::string ready = folder / "ready";
  const InheritedSignals inherited;
  ForwardedSignals signals;
  Script script({"sh", "-c", R"(trap 'exit 9' TERM; : >"$READY"; while :; do sleep 0.01; done)"},
                {{"READY", ready}}, inherited);
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
