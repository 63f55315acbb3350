// SPDX-License-Identifier: Apache-2.0
#include "training/script.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::array kOwnSignals{SIGCHLD, SIGPIPE, SIGXFSZ};

constexpr std::array kForwarded{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr Nanos kPatience = std::chrono::milliseconds(200);
constexpr Nanos kTogether =
    std::chrono::seconds(1);  // A batch system signals processes sequentially.

bool asks_for_the_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

}  // namespace

InheritedSignals::InheritedSignals() {
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
  ::sigdelset(&mask_, SIGCONT);  // hold_continue_signals() has blocked it.
  for (std::size_t i = 0; i < kOwnSignals.size(); ++i) {
    struct sigaction own {};
    own.sa_handler = kOwnSignals[i] == SIGCHLD ? SIG_DFL : SIG_IGN;
    ::sigaction(kOwnSignals[i], &own, &saved_[i]);
  }
}

void InheritedSignals::restore() const noexcept {
  for (std::size_t i = 0; i < kOwnSignals.size(); ++i) {
    ::sigaction(kOwnSignals[i], &saved_[i], nullptr);
  }
  ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

ForwardedSignals::ForwardedSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kForwarded) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, &usual_);
  descriptor_ = UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (descriptor_.get() < 0) throw SystemError("signals", "cannot be received", errno);
  try {
    Pipe pipe = make_pipe();
    group_member_.emplace("signals", "feedrate-group", [&] {
      const SteadyClock clock;
      ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
      for (int signal = 0; ::sigwait(&set, &signal) == 0;) {
        const Received received{signal, clock.now()};
        if (::write(pipe.writing.get(), &received, sizeof received) != sizeof received) return;
      }
    });
    reports_ = std::move(pipe.reading);
  } catch (const SystemError&) {  // No process can be started: all signals are forwarded.
  }
}

ForwardedSignals::~ForwardedSignals() { ::pthread_sigmask(SIG_SETMASK, &usual_, nullptr); }

bool ForwardedSignals::forward(pid_t script) {
  bool ends = false;
  signalfd_siginfo info{};
  while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    ends = ends || asks_for_the_end(signal);
    if (info.ssi_code != SI_KERNEL && !was_sent_to_group(signal)) ::kill(script, signal);
  }
  return ends;
}

bool ForwardedSignals::was_sent_to_group(int signal) {
  const SteadyClock clock;
  const Nanos now = clock.now();
  std::erase_if(received_, [&](const Received& got) { return now - got.when > kTogether; });
  while (true) {
    const auto same = std::find_if(received_.begin(), received_.end(),
                                   [&](const Received& got) { return got.signal == signal; });
    if (same != received_.end()) {
      received_.erase(same);
      return true;
    }
    const Nanos left = std::max(Nanos(0), now + kPatience - clock.now());
    pollfd polled{reports_.get(), POLLIN, 0};
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    Received next;
    if (::poll(&polled, 1, static_cast<int>(milliseconds)) <= 0 ||
        ::read(reports_.get(), &next, sizeof next) != sizeof next) {
      return false;
    }
    if (now - next.when <= kTogether) received_.push_back(next);
  }
}

Program script_program(const std::vector<std::string>& command, EnvironmentVariables environment,
                       const InheritedSignals& signals) {
  return {.words = command,
          .environment = std::move(environment),
          .ends_with_parent = false,
          .set_signals = [&signals] { signals.restore(); }};
}

void reap_orphans(pid_t script) {
  siginfo_t info{};
  while (::getpid() == 1 && ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0 && info.si_pid != script) {
    ::waitpid(info.si_pid, nullptr, WNOHANG);
    info = {};
  }
}

}  // namespace feedrate
