// SPDX-License-Identifier: Apache-2.0
#include "training/script.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"

namespace feedrate {
namespace {

constexpr std::array kForwarded{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

sigset_t forwarded_set() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kForwarded) ::sigaddset(&set, signal);
  return set;
}

bool asks_for_the_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

// "NAME=value" of this process with `set` in place of what has the same names.
std::vector<std::string> environment_with(const EnvironmentVariables& set) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    bool is_set = false;
    for (const auto& variable : set) is_set = is_set || variable.first == name;
    if (!is_set) all.emplace_back(text);
  }
  for (const auto& [name, value] : set) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

ConfigError cannot_be_started(const std::vector<std::string>& command, int problem) {
  return ConfigError(
      fmt::format("{}: cannot be started: {}", command.front(), std::strerror(problem)));
}

// Runs in the child.
[[noreturn]] void exec_or_report(std::vector<std::string> arguments,
                                 std::vector<std::string> environment,
                                 const InheritedSignals& signals, int problems) {
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  signals.restore();
  ::execvpe(argv.front(), argv.data(), envp.data());
  const int problem = errno;
  static_cast<void>(::write(problems, &problem, sizeof problem));
  ::_exit(127);
}

pid_t wait_for(pid_t child, int* status, int options) {
  pid_t ended = 0;
  do {
    ended = ::waitpid(child, status, options);
  } while (ended < 0 && errno == EINTR);
  return ended;
}

// Does not reap it.
int look_for_ended(idtype_t type, id_t id, siginfo_t& info) {
  int result = 0;
  do {
    info.si_pid = 0;
    result = ::waitid(type, id, &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  return result;
}

void reap_orphans(pid_t script) {
  siginfo_t info{};
  while (look_for_ended(P_ALL, 0, info) == 0 && info.si_pid != 0 && info.si_pid != script) {
    wait_for(info.si_pid, nullptr, WNOHANG);
  }
}

}  // namespace

ForwardedSignals::ForwardedSignals() {
  const sigset_t set = forwarded_set();
  ::pthread_sigmask(SIG_BLOCK, &set, &usual_);
  witness_.emplace(set);
  descriptor_ = UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (descriptor_.get() < 0) throw SystemError("signals", "cannot be received", errno);
}

ForwardedSignals::~ForwardedSignals() { ::pthread_sigmask(SIG_SETMASK, &usual_, nullptr); }

bool ForwardedSignals::forward(pid_t script) {
  bool ends = false;
  signalfd_siginfo info{};
  while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    ends = ends || asks_for_the_end(signal);
    if (info.ssi_code != SI_KERNEL && !witness_->has_had(signal)) ::kill(script, signal);
  }
  return ends;
}

// Not posix_spawn(), which cannot make the child ignore a signal that this process does not.
Script::Script(const std::vector<std::string>& command, const EnvironmentVariables& set,
               const InheritedSignals& signals) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("a pipe", "cannot be made", errno);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const std::lock_guard lock(fork_mutex());
  id_ = ::fork();
  if (id_ == 0) exec_or_report(command, environment_with(set), signals, writing.get());
  if (id_ < 0) throw SystemError(command.front(), "no process can be started for it", errno);
  writing = UniqueFd();
  int problem = 0;
  if (::read(reading.get(), &problem, sizeof problem) != sizeof problem) return;
  wait_for(id_, nullptr, 0);
  throw cannot_be_started(command, problem);
}

Script::~Script() { wait_for(id_, nullptr, WNOHANG); }

std::optional<int> Script::status() {
  if (::getpid() == 1) reap_orphans(id_);
  return ended_status(id_);
}

std::optional<int> ended_status(pid_t child) {
  constexpr int kLost = 1 << 8;
  siginfo_t info{};
  if (look_for_ended(P_PID, static_cast<id_t>(child), info) != 0) return kLost;
  if (info.si_pid == 0) return std::nullopt;
  return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

void become(const std::vector<std::string>& command, const InheritedSignals& signals) {
  std::vector<std::string> arguments = command;
  signals.restore();
  ::execvp(arguments.front().c_str(), pointers_to(arguments).data());
  throw cannot_be_started(command, errno);
}

int exit_as(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  const int signal = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};  // The script has left one, if any.
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  return 128 + signal;  // Where it is ignored.
}

}  // namespace feedrate
