// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_feedrate.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace feedrate::testing {
namespace {

using std::chrono::steady_clock;

// Long enough for a sanitizer on a busy machine; only a hang reaches it.
constexpr auto kTimeout = std::chrono::minutes(4);
constexpr int kCannotStart = 127;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ADD_FAILURE() << "cannot create a pipe";
    reader = ends[0];
    writer = ends[1];
  }
  int reader = -1;
  int writer = -1;
};

std::vector<std::string> split(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::vector<std::string> arguments{FEEDRATE_BINARY};
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

// Runs between fork and exec. The tests have one thread, so the child may call any function.
[[noreturn]] void exec_feedrate(char* const* argv, const ChildSetup& setup, int out, int err) {
  if (!setup.stdout_to.empty()) out = ::open(setup.stdout_to.c_str(), O_WRONLY | O_CREAT, 0666);
  if (setup.largest_file) {
    const rlimit limit{*setup.largest_file, *setup.largest_file};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(kCannotStart);
  }
  if (setup.before_exec && !setup.before_exec()) ::_exit(kCannotStart);
  const bool ready = ::chdir(setup.folder.c_str()) == 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
                     ::dup2(err, STDERR_FILENO) >= 0;
  if (ready) ::execv(FEEDRATE_BINARY, argv);
  ::_exit(kCannotStart);
}

bool append_from(int descriptor, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

}  // namespace

FeedrateChild::FeedrateChild(std::string_view line, const ChildSetup& setup) {
  std::vector<std::string> arguments = split(line);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const Pipe out;
  const Pipe err;
  pid_ = ::fork();
  if (pid_ == 0) exec_feedrate(argv.data(), setup, out.writer, err.writer);
  if (pid_ < 0) ADD_FAILURE() << "cannot fork";
  ::close(out.writer);
  ::close(err.writer);
  out_ = out.reader;
  err_ = err.reader;
}

FeedrateChild::~FeedrateChild() {
  if (pid_ > 0) {
    send(SIGKILL);
    reap();
  }
  close_pipes();
}

bool FeedrateChild::wait_until(const std::function<bool()>& condition) {
  const auto limit = steady_clock::now() + kTimeout;
  while (!condition()) {
    if (out_ < 0 && err_ < 0) return false;
    if (steady_clock::now() > limit) {
      ADD_FAILURE() << "feedrate hangs; its output until now:\n" << finished_.out << finished_.err;
      send(SIGKILL);
      return false;
    }
    read_some();
  }
  return true;
}

bool FeedrateChild::wait_for_error_text(std::string_view text) {
  return wait_until([&] { return finished_.err.find(text) != std::string::npos; });
}

void FeedrateChild::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

Finished FeedrateChild::wait() {
  static_cast<void>(wait_until([] { return false; }));
  reap();
  // A sanitizer's exit code may be the expected one.
  EXPECT_EQ(finished_.err.find("Sanitizer"), std::string::npos) << finished_.err;
  return finished_;
}

void FeedrateChild::read_some() {
  constexpr int kPollMilliseconds = 10;  // polls, since the condition may depend on files
  std::array<pollfd, 2> streams{pollfd{out_, POLLIN, 0}, pollfd{err_, POLLIN, 0}};
  if (::poll(streams.data(), streams.size(), kPollMilliseconds) <= 0) return;
  const auto take = [](const pollfd& stream, int& descriptor, std::string& text) {
    if (stream.revents == 0 || append_from(descriptor, text)) return;
    ::close(descriptor);
    descriptor = -1;
  };
  take(streams[0], out_, finished_.out);
  take(streams[1], err_, finished_.err);
}

void FeedrateChild::close_pipes() {
  for (int* const descriptor : {&out_, &err_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

void FeedrateChild::reap() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_) {
    finished_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_ = -1;
}

Finished run_feedrate(std::string_view line, const ChildSetup& setup) {
  return FeedrateChild(line, setup).wait();
}

}  // namespace feedrate::testing
