// SPDX-License-Identifier: Apache-2.0
#include "training/script.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace feedrate::testing {
namespace {

int exit_code_of(ChildProcess& script) {
  script.wait();
  return WEXITSTATUS(*script.status());
}

int exit_code_of(const std::vector<std::string>& command) {
  const InheritedSignals signals;
  ChildProcess script(script_program(command, {}, signals));
  return exit_code_of(script);
}

// Changes the action of a signal while the object lives.
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

// A parent that does not wait for its children ignores SIGCHLD. The kernel then discards the exit
// status of a child.
TEST(Script, returns_its_exit_code_if_feedrate_was_started_with_sigchld_ignored) {
  const Disposition ignored(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(exit_code_of({"sh", "-c", "exit 7"}), 7);
}

// This runs without a shell, which sets signals itself. SigIgn is a mask in hexadecimal digits:
// signal n is bit n - 1.
int exit_code_of_grep(const std::string& ignored) {
  return exit_code_of({"grep", "-q", "SigIgn:.*" + ignored, "/proc/self/status"});
}

TEST(Script, inherits_the_signal_dispositions_of_feedrate) {
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
  ChildProcess script(script_program(
      {"sh", "-c", R"(trap 'exit 9' TERM; : >"$READY"; while :; do sleep 0.01; done)"},
      {{"READY", ready}}, inherited));
  wait_until([&] { return std::filesystem::exists(ready); });
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(signals.forward(script.pid()));
  EXPECT_EQ(exit_code_of(script), 9);
}

}  // namespace
}  // namespace feedrate::testing
