// SPDX-License-Identifier: Apache-2.0
#include "core/trial.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"
#include "core/unique_fd.h"

namespace feedrate {
namespace {

using std::chrono::steady_clock;

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  static_cast<void>(::setrlimit(resource, &limit));
}

[[noreturn]] void run_child(const std::function<void()>& attempt, const TrialOptions& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) static_cast<void>(::signal(number, SIG_DFL));
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(options.cpu.count()));
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // for messages of the C library
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    static_cast<void>(::dup2(nowhere, stream));
  try {
    attempt();
  } catch (const std::exception&) {  // the caller meets the same exception
  }
  ::_exit(0);
}

// `end` reaches EOF when the child exits. The child is also polled, because another child may hold
// it open.
std::optional<int> status_within(pid_t child, const UniqueFd& end, std::chrono::seconds limit) {
  constexpr int kLookMs = 50;
  const auto deadline = steady_clock::now() + limit;
  int status = 0;
  do {
    pollfd waited{.fd = end.get(), .events = POLLIN, .revents = 0};
    const bool has_ended = ::poll(&waited, 1, kLookMs) > 0;
    const pid_t ended = ::waitpid(child, &status, has_ended ? 0 : WNOHANG);
    if (ended != 0 && (ended == child || errno != EINTR)) return status;
  } while (steady_clock::now() < deadline);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return std::nullopt;
}

std::string describe(std::optional<int> status, const TrialOptions& options) {
  if (!status)
    return fmt::format("keeps {} busy for more than {} s", options.of, options.wall.count());
  if (WIFEXITED(*status)) {
    return WEXITSTATUS(*status) == 0 ? "" : "crashes " + options.of;
  }
  const int signal = WTERMSIG(*status);
  if (signal == SIGKILL || signal == SIGXCPU) {
    return fmt::format("uses more than {1} s of CPU time, or all memory, in {0}", options.of,
                       options.cpu.count());
  }
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) throw Cancelled();
  return fmt::format("crashes {} ({})", options.of, ::strsignal(signal));
}

}  // namespace

std::string why_not_survived(const std::function<void()>& attempt, const TrialOptions& options) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("pipe", "cannot be created", errno);
  const UniqueFd end(ends[0]);
  UniqueFd childs_end(ends[1]);
  pid_t child = -1;
  {
    const std::shared_ptr<void> at_rest = options.at_rest ? options.at_rest() : nullptr;
    const std::scoped_lock one_fork(fork_mutex());
    child = ::fork();
    if (child == 0) run_child(attempt, options);
  }
  if (child < 0) throw SystemError("process that tests " + options.of, "cannot be started", errno);
  childs_end = UniqueFd();
  return describe(status_within(child, end, options.wall), options);
}

std::string answer_in_a_trial(const std::function<std::string()>& question,
                              const TrialOptions& options) {
  constexpr std::size_t kMost = PIPE_BUF;  // a single write that fits the pipe's buffer
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("pipe", "cannot be created", errno);
  const UniqueFd told(ends[0]);
  UniqueFd tells(ends[1]);
  const std::string problem = why_not_survived(
      [&] {
        std::string answer;
        try {
          answer = question();
        } catch (const std::exception& error) {
          answer = error.what();
        }
        static_cast<void>(::write(tells.get(), answer.data(), std::min(answer.size(), kMost)));
      },
      options);
  if (!problem.empty()) return problem;
  tells = UniqueFd();
  std::array<char, kMost> answer{};
  const ssize_t size = ::read(told.get(), answer.data(), answer.size());
  return {answer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace feedrate
