// SPDX-License-Identifier: Apache-2.0
#include "core/host/child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"
#include "core/host/resource_limits.h"
#include "core/unique_fd.h"

namespace feedrate {
namespace {

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) static_cast<void>(::signal(number, SIG_DFL));
  }
  for (const int number : {SIGINT, SIGHUP}) static_cast<void>(::signal(number, SIG_IGN));
  // A segment beyond the limit of file sizes is an error to tell, not the end with its name left.
  static_cast<void>(::signal(SIGXFSZ, SIG_IGN));
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Where memory runs out the kernel kills the worst process: a worker's end costs a cell, that of
// its parent a whole sweep. Anybody may raise his own score; where it fails nothing changes.
void offer_to_be_killed() {
  constexpr std::string_view kScore = "500";
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC));
  std::array<char, 16> score{};
  if (::read(file.get(), score.data(), score.size() - 1) <= 0) return;
  if (std::atoi(score.data()) >= std::atoi(kScore.data())) return;  // As in some containers.
  static_cast<void>(::pwrite(file.get(), kScore.data(), kScore.size(), 0));
}

[[noreturn]] void run_child(pid_t parent, const std::string& name, const ChildBody& body) {
  reset_signals();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // It died before the line above.
  ::prctl(PR_SET_NAME, name.c_str());
  offer_to_be_killed();
  try {
    body();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::string describe_signal(int number) {
  switch (number) {
    case SIGKILL:
      return "was killed (SIGKILL), by the kernel if memory ran out (see dmesg), or by a job "
             "scheduler; fewer workers need less memory";
    case SIGBUS:
      return "died of a bus error (SIGBUS): shared memory ran out, or an LMDB file was "
             "truncated; " +
             shared_memory_hint();
    case SIGSEGV:
      return "died of an invalid memory access (SIGSEGV); with num_workers 0 the error occurs in "
             "the main process, under a debugger";
    default:
      break;
  }
  const char* name = ::sigabbrev_np(number);
  return name ? fmt::format("was ended by SIG{}", name)
              : fmt::format("was ended by signal {}", number);
}

std::string describe_end(std::optional<int> status) {
  if (!status)
    return "is gone; its exit status is unknown, since another part of the process collected it";
  if (WIFSIGNALED(*status)) return describe_signal(WTERMSIG(*status));
  return fmt::format(
      "exited unexpectedly with exit code {}; details are lost; with num_workers 0 the error "
      "occurs in the main process",
      WEXITSTATUS(*status));
}

}  // namespace

ChildProcess::ChildProcess(const std::string& what, const std::string& name,
                           const ChildBody& body) {
  const pid_t parent = ::getpid();
  const std::lock_guard lock(fork_mutex());
  pid_ = ::fork();
  if (pid_ == 0) run_child(parent, name, body);
  if (pid_ < 0) {
    const int number = errno;
    throw SystemError(what, "cannot fork" + hint_for(number), number);
  }
}

ChildProcess::~ChildProcess() {
  if (has_ended()) return;
  send_signal(SIGKILL);
  wait();
}

void ChildProcess::reap(int options) noexcept {
  if (ended_) return;
  int status = 0;
  pid_t result = 0;
  do {
    result = ::waitpid(pid_, &status, options);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return;
  ended_ = true;
  if (result == pid_) status_ = status;
}

bool ChildProcess::has_ended() noexcept {
  reap(WNOHANG);
  return ended_;
}

void ChildProcess::wait() noexcept { reap(0); }

void ChildProcess::send_signal(int number) noexcept {
  if (!ended_) ::kill(pid_, number);
}

std::string describe_death(std::size_t number, pid_t pid, std::optional<int> status) {
  return fmt::format("worker process {} (pid {}) {}", number, pid, describe_end(status));
}

}  // namespace feedrate
