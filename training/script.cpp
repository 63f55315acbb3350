// SPDX-License-Identifier: Apache-2.0
#include "training/script.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

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

class SpawnAttributes {
 public:
  explicit SpawnAttributes(const sigset_t& mask) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

}  // namespace

ForwardedSignals::ForwardedSignals() {
  const sigset_t set = forwarded_set();
  ::pthread_sigmask(SIG_BLOCK, &set, &usual_);
  ::sigdelset(&usual_, SIGCONT);  // Held by hold_continue_signals().
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

Script::Script(const std::vector<std::string>& command, const EnvironmentVariables& set,
               const sigset_t& mask) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(set);
  const SpawnAttributes attributes(mask);
  const int problem =
      ::posix_spawnp(&id_, arguments.front().c_str(), nullptr, attributes.get(),
                     pointers_to(arguments).data(), pointers_to(environment).data());
  if (problem != 0) throw cannot_be_started(command, problem);
  // Of feedrate alone, from here on: a script has those that feedrate was started with.
  ::signal(SIGCHLD, SIG_DFL);  // Ignored, it would take the script's status away.
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
}

std::optional<int> Script::status() {
  int status = 0;
  if (!status_ && ::waitpid(id_, &status, WNOHANG) != 0) status_ = status;
  return status_;
}

void become(const std::vector<std::string>& command) {
  std::vector<std::string> arguments = command;
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCONT);  // Held by hold_continue_signals().
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
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
