#include "formats/hdf5/hdf5_trial.h"

#include <array>
#include <cerrno>
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
#include "formats/hdf5/hdf5_call.h"

namespace feedrate {
namespace {

using std::chrono::steady_clock;

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  static_cast<void>(::setrlimit(resource, &limit));
}

[[noreturn]] void run_child(const std::function<void()>& attempt, const TrialLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) static_cast<void>(::signal(number, SIG_DFL));
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu.count()));
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);  // The C library's last words.
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    static_cast<void>(::dup2(nowhere, stream));
  try {
    attempt();
  } catch (const std::exception&) {  // The caller will meet it, too.
  }
  ::_exit(0);
}

// Closed by the child's end, and looked at now and then: another child may have it open, too.
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

std::string describe(std::optional<int> status, const TrialLimits& limits) {
  if (!status) return fmt::format("keeps the HDF5 library busy beyond {} s", limits.wall.count());
  if (WIFEXITED(*status)) {
    return WEXITSTATUS(*status) == 0 ? "" : "crashes the HDF5 library";
  }
  const int signal = WTERMSIG(*status);
  if (signal == SIGKILL || signal == SIGXCPU) {
    return fmt::format("takes the HDF5 library more than {} s of CPU time, or all memory",
                       limits.cpu.count());
  }
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) throw Cancelled();
  return fmt::format("crashes the HDF5 library ({})", ::strsignal(signal));
}

}  // namespace

std::string why_not_survived(const std::function<void()>& attempt, const TrialLimits& limits) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("a pipe", "cannot be made", errno);
  const UniqueFd end(ends[0]);
  UniqueFd childs_end(ends[1]);
  pid_t child = -1;
  {
    const Hdf5Session session;  // No other thread is within the library when it is forked.
    const std::scoped_lock one_fork(fork_mutex());
    child = ::fork();
    if (child == 0) run_child(attempt, limits);
  }
  if (child < 0) throw SystemError("a process that tries an HDF5 file", "cannot start", errno);
  childs_end = UniqueFd();
  return describe(status_within(child, end, limits.wall), limits);
}

}  // namespace feedrate
