// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/conversation.h"

#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/fake_python.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using testing::FakePython;
using ::testing::HasSubstr;

constexpr const char* kHello = R"(say '{"event":"hello","python":"3","torch":"2"}')";

class TorchConversation : public ::testing::Test {
 protected:
  /// Returns the message of the error that ends the conversation with a script.
  static std::string end_of(std::string_view script, const std::stop_token& stop = {}) {
    const FakePython python(script);
    try {
      Conversation child(start_python({python.path().string()}), "{}", stop);
      for (;;) static_cast<void>(child.next());
    } catch (const Cancelled&) {
      return "cancelled";
    } catch (const ConfigError& error) {
      return std::string("mistake: ") + error.what();
    } catch (const Error& error) {
      return error.what();
    }
  }

  static bool is_alive(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    return (file >> number >> name >> state) && state != "Z";
  }
};

TEST_F(TorchConversation, sends_the_job_and_the_replies) {
  const FakePython python(
      R"(read -r line <&3; say "{\"event\":\"warning\",\"text\":\"$line\"}"; hear; say '{"event":"done","pinned_bytes":3}')");
  Conversation child(start_python({python.path().string()}), "the job", {});
  EXPECT_EQ(std::get<TorchWarning>(child.next()).text, "the job");
  child.answer();
  EXPECT_EQ(std::get<TorchDone>(child.next()).pinned_bytes, 3U);
}

TEST_F(TorchConversation, a_job_larger_than_the_socket_arrives_whole) {
  const FakePython python(
      R"(size=$(head -n 1 <&3 | wc -c); say "{\"event\":\"done\",\"pinned_bytes\":$size}")");
  Conversation child(start_python({python.path().string()}), std::string(3'000'000, 'x'), {});
  EXPECT_EQ(std::get<TorchDone>(child.next()).pinned_bytes, 3'000'001U);
}

TEST_F(TorchConversation, a_child_that_ends_before_it_reads_a_large_job_is_an_error) {
  const FakePython python("exit 5");
  Conversation child(start_python({python.path().string()}), std::string(3'000'000, 'x'), {});
  EXPECT_THROW(static_cast<void>(child.next()), Error);
}

TEST_F(TorchConversation, the_exit_of_a_child_is_reported_with_its_output) {
  EXPECT_EQ(end_of("echo out; echo 'No module named torch' >&2; exit 3"),
            "the Python child exited with 3\nout\nNo module named torch");
}

TEST_F(TorchConversation, what_was_sent_before_the_end_is_read_first) {
  const FakePython python(std::string(kHello) + "; exit 0");
  Conversation child(start_python({python.path().string()}), "{}", {});
  EXPECT_EQ(std::get<TorchHello>(child.next()).torch, "2");
  EXPECT_THROW(static_cast<void>(child.next()), Error);
}

TEST_F(TorchConversation, a_killed_child_is_reported_with_its_signal) {
  EXPECT_THAT(end_of("kill -9 $$"), HasSubstr("was killed by SIGKILL (out of memory?)"));
  EXPECT_THAT(end_of("kill -11 $$"), HasSubstr("was killed by SIGSEGV"));
}

TEST_F(TorchConversation, an_end_is_noticed_while_a_grandchild_holds_the_socket) {
  EXPECT_THAT(end_of("sleep 1000 & exit 4"), HasSubstr("exited with 4"));
}

TEST_F(TorchConversation, an_end_is_noticed_after_the_child_closed_its_output) {
  EXPECT_THAT(end_of("sleep 1000 >/dev/null 2>&1 & exec >/dev/null 2>&1; exit 4"),
              HasSubstr("exited with 4"));
}

TEST_F(TorchConversation, much_output_keeps_its_beginning_and_its_end) {
  const std::string text = end_of(
      "echo first; i=0; while [ $i -lt 4000 ]; do echo 0123456789; i=$((i+1)); done; echo "
      "last; exit 1");
  EXPECT_THAT(text, AllOf(HasSubstr("first"), HasSubstr("[…]"), HasSubstr("last")));
  EXPECT_LT(text.size(), 20'000U);
}

TEST_F(TorchConversation, garbage_is_an_error) {
  EXPECT_THAT(end_of("echo hello >&3; sleep 1000"), HasSubstr("an invalid message"));
}

TEST_F(TorchConversation, a_message_without_end_is_an_error) {
  EXPECT_THAT(end_of("head -c 3000000 /dev/zero | tr '\\0' x >&3; sleep 1000"),
              HasSubstr("a message of more than 1048576 bytes"));
}

TEST_F(TorchConversation, an_exception_is_an_error_and_a_mistake_a_config_error) {
  EXPECT_EQ(
      end_of(
          R"(say '{"event":"error","mistake":false,"headline":"ValueError: 7","traceback":"at 1"}')"),
      "ValueError: 7\nat 1");
  EXPECT_EQ(end_of(R"(say '{"event":"error","mistake":true,"headline":"h","traceback":""}')"),
            "mistake: h");
}

TEST_F(TorchConversation, a_stop_ends_the_waiting) {
  std::stop_source source;
  const FakePython python(std::string(kHello) + "; sleep 1000");
  Conversation child(start_python({python.path().string()}), "{}", source.get_token());
  static_cast<void>(child.next());
  const std::jthread other([&] { source.request_stop(); });
  EXPECT_THROW(static_cast<void>(child.next()), Cancelled);
}

TEST_F(TorchConversation, kills_the_whole_group) {
  pid_t grandchild = 0;
  {
    const FakePython python(
        R"(trap '' TERM; sleep 1000 & say "{\"event\":\"window\",\"processes\":[$!]}"; while :; do sleep 1000; done)");
    Conversation child(start_python({python.path().string()}), "{}", {});
    grandchild = std::get<TorchWindow>(child.next()).processes.at(0);
    EXPECT_TRUE(is_alive(grandchild));
  }
  while (is_alive(grandchild)) std::this_thread::yield();  // A killed process ends later.
}

TEST_F(TorchConversation, where_it_hangs_ends_no_process) {
  const FakePython python(
      R"(sleep 1000 & trap 'echo here' USR1; say "{\"event\":\"window\",\"processes\":[$!]}"; while :; do wait; done)");
  Conversation child(start_python({python.path().string()}), "{}", {});
  const pid_t grandchild = std::get<TorchWindow>(child.next()).processes.at(0);
  std::string said;
  while (said.empty()) said = child.where_it_hangs();  // It waits only a moment for the output.
  EXPECT_THAT(said, HasSubstr("here"));
  EXPECT_TRUE(is_alive(grandchild));
}

TEST_F(TorchConversation, the_child_has_none_of_our_signal_settings) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  // The shell itself reads the file: while it starts a program, it blocks all signals for a moment.
  const std::string text =
      end_of("while read -r line; do echo \"$line\"; done </proc/$$/status; exit 1");
  std::signal(SIGPIPE, old);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // The C library keeps signals 32 and 33 for itself.
  EXPECT_THAT(text, AllOf(HasSubstr("SigBlk:\t0000000000000000"),
                          ContainsRegex("SigIgn:\t[0-9a-f]+0000000")));
}

TEST_F(TorchConversation, a_program_that_cannot_be_started_is_named) {
  EXPECT_THROW(static_cast<void>(start_python({"/nonexistent/python3"})), ConfigError);
}

}  // namespace
}  // namespace feedrate
