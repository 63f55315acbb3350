// SPDX-License-Identifier: Apache-2.0
#include "core/host/process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

Program shell(const std::string& text) { return {.words = {"sh", "-c", text}}; }

int exit_code_of(const Program& program) {
  ChildProcess child(program);
  child.wait();
  return WEXITSTATUS(child.end());
}

std::string output_of(Program program) {
  Pipe pipe = make_pipe();
  program.descriptors.emplace_back(pipe.writing.get(), STDOUT_FILENO);
  ChildProcess child(program);
  pipe.writing = UniqueFd();
  std::string output;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::read(pipe.reading.get(), piece.data(), piece.size())) > 0;)
    output.append(piece.data(), static_cast<std::size_t>(got));
  return output;
}

TEST(ChildProcess, returns_the_exit_code_of_a_program) {
  EXPECT_EQ(exit_code_of(shell("exit 7")), 7);
}

TEST(ChildProcess, exits_with_1_if_the_body_throws) {
  ChildProcess fine("a child", "name", [] {});
  ChildProcess throws("a child", "name", [] { throw Error("not shown"); });
  fine.wait();
  throws.wait();
  EXPECT_EQ(describe_end(fine.end()), "exited with 0");
  EXPECT_EQ(describe_end(throws.end()), "exited with 1");
}

TEST(ChildProcess, replaces_and_adds_variables) {
  ::setenv("FEEDRATE_TEST_A", "old", 1);
  ::setenv("FEEDRATE_TEST_B", "kept", 1);
  // A shell would hide a variable that is there twice.
  EXPECT_EQ(
      output_of({.words = {"printenv", "FEEDRATE_TEST_A", "FEEDRATE_TEST_B", "FEEDRATE_TEST_C"},
                 .environment = {{"FEEDRATE_TEST_A", "new"}, {"FEEDRATE_TEST_C", "added"}}}),
      "new\nkept\nadded\n");
}

// The numbers of one pipe's ends are swapped, so that each is overwritten before it is used.
TEST(ChildProcess, passes_descriptors_whose_numbers_overlap) {
  const Pipe pipe = make_pipe();
  const int reading = pipe.reading.get(), writing = pipe.writing.get();
  Program program = shell("echo text >&" + std::to_string(reading) + "; read -r line <&" +
                          std::to_string(writing) + "; echo $line");
  program.descriptors = {{reading, writing}, {writing, reading}};
  EXPECT_EQ(output_of(program), "text\n");
  // If the child copied them to the lowest free numbers, the copies would have these numbers.
  const int base = std::max(reading, writing) + 7;
  program.descriptors = {
      {reading, base}, {reading, base + 1}, {reading, base + 2}, {writing, base + 3}};
  program.words.back() = "bash -c 'echo text >&" + std::to_string(base + 3) + "; read -r line <&" +
                         std::to_string(base) + "; echo $line'";
  EXPECT_EQ(output_of(program), "text\n");
  program.descriptors = {{kNull, STDIN_FILENO}};
  program.words.back() = "read -r line; echo $?";
  EXPECT_EQ(output_of(program), "1\n");
}

TEST(ChildProcess, keeps_other_descriptors_from_the_child) {
  const Pipe pipe = make_pipe();
  EXPECT_NE(exit_code_of(shell("exec 2>/dev/null; : <&" + std::to_string(pipe.reading.get()))), 0);
}

TEST(ChildProcess, gives_a_program_default_signals) {
  sigset_t set, before;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &set, &before);
  const auto usual = std::signal(SIGUSR1, SIG_IGN);
  const std::string status = output_of({.words = {"cat", "/proc/self/status"}});
  std::signal(SIGUSR1, usual);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000000000"));
  // Bit 9 is SIGUSR1. The C library keeps signals 32 and 33 for itself.
  EXPECT_THAT(status, ::testing::ContainsRegex("SigIgn:\t[0-9a-f]+0000000\n"));
}

TEST(ChildProcess, leaves_interrupts_to_the_parent_in_a_body) {
  ChildProcess child("a child", "name", [] {
    ::raise(SIGINT);
    ::raise(SIGHUP);
    ::raise(SIGTERM);
  });
  child.wait();
  EXPECT_EQ(describe_end(*child.status()), "was killed by SIGTERM");
}

TEST(ChildProcess, reports_a_program_that_cannot_be_executed) {
  EXPECT_EQ(testing::message_of<ConfigError>(
                [] { ChildProcess(Program{.words = {"/no/such/program"}}); }),
            "/no/such/program: cannot be started: No such file or directory");
}

TEST(ChildProcess, kills_the_rest_of_its_group_after_its_end) {
  Pipe pipe = make_pipe();
  Program program = shell("sleep 1000 & exit 4");
  program.has_own_group = true;
  program.descriptors = {{pipe.writing.get(), STDOUT_FILENO}};
  ChildProcess child(program);
  pipe.writing = UniqueFd();
  child.wait();
  EXPECT_EQ(::kill(-child.pid(), 0), 0) << "the zombie keeps the group";
  EXPECT_EQ(describe_end(child.end()), "exited with 4");
  char byte = 0;
  EXPECT_EQ(::read(pipe.reading.get(), &byte, 1), 0) << "the grandchild held the pipe open";
}

TEST(ChildProcess, ends_with_the_object_or_outlives_it) {
  Program program{.words = {"sleep", "1000"}};
  pid_t ended = 0, alive = 0;
  {
    const ChildProcess child(program);
    ended = child.pid();
    program.ends_with_parent = false;
    const ChildProcess other(program);
    alive = other.pid();
  }
  EXPECT_NE(::kill(ended, 0), 0);
  ASSERT_EQ(::kill(alive, SIGKILL), 0);
  EXPECT_EQ(::waitpid(alive, nullptr, 0), alive);
}

TEST(ChildProcess, waits_no_longer_than_it_is_told) {
  ChildProcess child(Program{.words = {"sleep", "1000"}});
  EXPECT_FALSE(child.wait(Nanos(0)));
  EXPECT_FALSE(child.status());
  EXPECT_EQ(describe_end(child.end()), "was killed by SIGKILL (out of memory?)");
}

TEST(ChildProcess, has_a_lost_status_if_other_code_reaps_it) {
  ChildProcess child(shell("exit 0"));
  ASSERT_EQ(::waitpid(child.pid(), nullptr, 0), child.pid());
  EXPECT_TRUE(child.has_ended());
  EXPECT_EQ(child.status(), kLostStatus);
  EXPECT_EQ(child.end(), kLostStatus);
  EXPECT_EQ(exit_as(kLostStatus), 1);
  EXPECT_THAT(describe_end(kLostStatus), HasSubstr("is unknown"));
}

TEST(Become, replaces_this_process) {
  EXPECT_EXIT(become(shell("exit 6")), ::testing::ExitedWithCode(6), "");
  EXPECT_THROW(become({.words = {"/no/such/program"}}), ConfigError);
}

TEST(ExitAs, returns_the_code_of_a_child_that_ended_by_itself) { EXPECT_EQ(exit_as(3 << 8), 3); }

TEST(ExitAs, ends_by_the_signal_that_ended_the_child) {
  EXPECT_EXIT(static_cast<void>(exit_as(SIGTERM)), ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace feedrate
