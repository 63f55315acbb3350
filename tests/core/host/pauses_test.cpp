// SPDX-License-Identifier: Apache-2.0
#include "core/host/pauses.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace feedrate {
namespace {

// A child process that reports when it has begun to watch, and then whether it was paused.
class Watcher {
 public:
  Watcher() {
    EXPECT_EQ(::pipe(to_), 0);
    EXPECT_EQ(::pipe(from_), 0);
    process_ = ::fork();
    if (process_ == 0) watch();
    hear();
  }

  void stop_and_continue() const {
    int status = 0;
    EXPECT_EQ(::kill(process_, SIGSTOP), 0);
    EXPECT_EQ(::waitpid(process_, &status, WUNTRACED), process_);
    EXPECT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(::kill(process_, SIGCONT), 0);
  }

  bool was_paused() {
    const char question = '?';
    EXPECT_EQ(::write(to_[1], &question, 1), 1);
    return hear() == 'y';
  }

  ~Watcher() {
    for (const int end : {to_[0], to_[1], from_[0], from_[1]}) ::close(end);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

 private:
  [[noreturn]] void watch() {
    hold_continue_signals();
    PauseWatch pauses;
    say('b');
    char question = 0;
    while (::read(to_[0], &question, 1) == 1) say(pauses.was_paused() ? 'y' : 'n');
    ::_exit(0);
  }
  void say(char word) const {
    if (::write(from_[1], &word, 1) != 1) ::_exit(1);
  }
  char hear() const {
    char word = 0;
    EXPECT_EQ(::read(from_[0], &word, 1), 1);
    return word;
  }

  int to_[2] = {};
  int from_[2] = {};
  pid_t process_ = 0;
};

TEST(PauseWatch, sees_that_the_process_was_stopped_and_continued) {
  Watcher watcher;
  EXPECT_FALSE(watcher.was_paused());
  watcher.stop_and_continue();
  EXPECT_TRUE(watcher.was_paused());
  EXPECT_FALSE(watcher.was_paused()) << "once";
}

TEST(PauseWatch, ignores_earlier_pauses) {
  hold_continue_signals();
  ::kill(::getpid(), SIGCONT);
  PauseWatch pauses;
  EXPECT_FALSE(pauses.was_paused());
}

}  // namespace
}  // namespace feedrate
