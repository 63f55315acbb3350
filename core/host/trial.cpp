// SPDX-License-Identifier: Apache-2.0
#include "core/host/trial.h"

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/process.h"

namespace feedrate {
namespace {

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  static_cast<void>(::setrlimit(resource, &limit));
}

void run_limited(const std::function<void()>& attempt, const TrialOptions& options) {
  reset_signals();  // Ctrl-C also ends an attempt.
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(options.cpu.count()));
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // A crash prints messages.
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) static_cast<void>(::dup2(null, stream));
  try {
    attempt();
  } catch (const std::exception&) {  // The caller will get the same exception.
  }
}

std::string describe(int status, const TrialOptions& options) {
  if (status == 0 || status == kLostStatus) return "";
  if (WIFEXITED(status)) return "crashes " + options.of;
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL || signal == SIGXCPU) {
    return fmt::format("uses more than {1} s of CPU time, or all memory, in {0}", options.of,
                       options.cpu.count());
  }
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) throw Cancelled();
  return fmt::format("crashes {} ({})", options.of, signal_name(signal));
}

}  // namespace

std::string why_not_survived(const std::function<void()>& attempt, const TrialOptions& options) {
  std::shared_ptr<void> held = options.hold_during_fork ? options.hold_during_fork() : nullptr;
  ChildProcess child("a process that tests " + options.of, "feedrate-trial",
                     [&] { run_limited(attempt, options); });
  held.reset();
  if (child.wait(options.wall)) return describe(child.end(), options);
  return fmt::format("keeps {} busy for more than {} s", options.of, options.wall.count());
}

std::string answer_in_a_trial(const std::function<std::string()>& question,
                              const TrialOptions& options) {
  constexpr std::size_t kMost = PIPE_BUF;  // A pipe holds that much without a reader.
  Pipe pipe = make_pipe();
  const std::string problem = why_not_survived(
      [&] {
        std::string answer;
        try {
          answer = question();
        } catch (const std::exception& error) {
          answer = error.what();
        }
        static_cast<void>(
            ::write(pipe.writing.get(), answer.data(), std::min(answer.size(), kMost)));
      },
      options);
  if (!problem.empty()) return problem;
  pipe.writing = UniqueFd();
  std::array<char, kMost> answer{};
  const ssize_t size = ::read(pipe.reading.get(), answer.data(), answer.size());
  return {answer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace feedrate
