// SPDX-License-Identifier: Apache-2.0
#include "core/host/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"
#include "core/host/resource_limits.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

using std::chrono::steady_clock;

// The out-of-memory killer picks the process with the highest score: the end of a worker costs a
// cell, the end of its parent a whole sweep. Raising one's own score needs no privilege.
void raise_oom_score() {
  constexpr std::string_view kScore = "500";
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC));
  std::array<char, 16> score{};
  if (::read(file.get(), score.data(), score.size() - 1) <= 0) return;
  if (std::atoi(score.data()) >= std::atoi(kScore.data())) return;  // Some containers raise it.
  static_cast<void>(::pwrite(file.get(), kScore.data(), kScore.size(), 0));
}

void end_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // The parent died before prctl().
}

[[noreturn]] void run_body(pid_t parent, const std::string& name,
                           const std::function<void()>& body) {
  // A write beyond the file size limit is an error to report, so SIGXFSZ must not end the child.
  reset_signals({SIGINT, SIGHUP, SIGXFSZ});
  end_with(parent);
  ::prctl(PR_SET_NAME, name.c_str());
  raise_oom_score();
  try {
    body();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::vector<std::string> merged_environment(const EnvironmentVariables& added) {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    const std::string_view text = *word;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) words.emplace_back(text);
  }
  for (const auto& [name, value] : added) words.push_back(fmt::format("{}={}", name, value));
  return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Holds the arguments of exec(). Made before fork(), since the child must not allocate memory.
class Exec {
 public:
  explicit Exec(const Program& program)
      : program_(program),
        words_(program.words),
        environment_(merged_environment(program.environment)) {
    for (const auto& [here, there] : descriptors_) above_ = std::max(above_, there + 1);
  }

  // Returns only if it fails, the number of the error.
  int run() {
    program_.set_signals();
    if (const int problem = pass_descriptors()) return problem;
    ::execvpe(argv_.front(), argv_.data(), envp_.data());
    return errno;
  }

  [[noreturn]] void run_or_report(int problems) {
    problems = copy(problems);
    const int problem = run();
    static_cast<void>(::write(problems, &problem, sizeof problem));
    ::_exit(127);
  }

 private:
  // The copy's number is above all numbers that dup2() overwrites.
  [[nodiscard]] int copy(int descriptor) const {
    return ::fcntl(descriptor, F_DUPFD_CLOEXEC, above_);
  }

  int pass_descriptors() {
    for (auto& [here, there] : descriptors_)
      here = copy(here == kNull ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : here);
    for (const auto& [here, there] : descriptors_)
      if (::dup2(here, there) < 0) return errno;
    return 0;
  }

  const Program& program_;
  std::vector<std::string> words_, environment_;
  std::vector<char*> argv_ = pointers_to(words_), envp_ = pointers_to(environment_);
  std::vector<std::pair<int, int>> descriptors_ = program_.descriptors;
  int above_ = 0;
};

// `child` runs in the child and does not return.
pid_t fork_child(const std::string& what, const std::function<void()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) child();
  const int number = errno;
  if (pid < 0) throw SystemError(what, "cannot fork" + hint_for(number), number);
  return pid;
}

ConfigError cannot_be_started(const Program& program, int problem) {
  return ConfigError(
      fmt::format("{}: cannot be started: {}", program.words.front(), std::strerror(problem)));
}

int reap(pid_t pid) {
  int status = kLostStatus;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool is_gone_or_zombie(pid_t process) {
  const auto stat = read_text(fmt::format("/proc/{}/stat", process));
  if (!stat) return ::kill(process, 0) != 0 && errno == ESRCH;
  const auto fields = stat_fields(*stat);
  return fields.empty() || fields.front() == "Z";
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("a pipe", "cannot be made", errno);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void reset_signals(std::initializer_list<int> ignored) noexcept {
  for (int number = 1; number < NSIG; ++number) {
    if (number == SIGKILL || number == SIGSTOP) continue;
    const bool is_ignored = std::find(ignored.begin(), ignored.end(), number) != ignored.end();
    static_cast<void>(::signal(number, is_ignored ? SIG_IGN : SIG_DFL));
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

ChildProcess::ChildProcess(const std::string& what, const std::string& name,
                           const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  const std::lock_guard lock(fork_mutex());
  pid_ = fork_child(what, [&] { run_body(parent, name, body); });
}

ChildProcess::ChildProcess(const Program& program)
    : has_own_group_(program.has_own_group), ends_with_parent_(program.ends_with_parent) {
  Exec exec(program);
  const pid_t parent = ::getpid();
  UniqueFd problems;  // Reaches EOF at exec().
  {
    const std::lock_guard lock(fork_mutex());  // No other child may inherit the writing end.
    Pipe pipe = make_pipe();
    pid_ = fork_child(program.words.front(), [&] {
      if (has_own_group_) ::setpgid(0, 0);
      if (ends_with_parent_) end_with(parent);
      exec.run_or_report(pipe.writing.get());
    });
    problems = std::move(pipe.reading);
  }
  int problem = 0;
  if (::read(problems.get(), &problem, sizeof problem) != sizeof problem) return;
  reap(pid_);
  throw cannot_be_started(program, problem);
}

ChildProcess::ChildProcess(pid_t pid, std::function<int()> reap)
    : pid_(pid), has_own_group_(true), reap_elsewhere_(std::move(reap)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(other.pid_),
      has_own_group_(other.has_own_group_),
      ends_with_parent_(other.ends_with_parent_),
      is_reaped_(std::exchange(other.is_reaped_, true)),
      reap_elsewhere_(std::move(other.reap_elsewhere_)),
      status_(std::exchange(other.status_, kLostStatus)) {}

ChildProcess::~ChildProcess() {
  if (ends_with_parent_) {
    end();
  } else if (!is_reaped_) {
    ::waitpid(pid_, nullptr, WNOHANG);
  }
}

bool ChildProcess::has_ended() noexcept {
  if (status_) return true;
  if (reap_elsewhere_) return is_gone_or_zombie(pid_);
  status_ = ended_status(pid_);
  return status_.has_value();
}

void ChildProcess::send_signal(int number) noexcept {
  if (!has_ended()) ::kill(pid_, number);
}

bool ChildProcess::wait(Nanos patience) noexcept {
  constexpr Nanos kLongestPause = std::chrono::milliseconds(2);
  const auto limit = steady_clock::now() + patience;
  for (Nanos pause = std::chrono::microseconds(50); !has_ended();
       pause = std::min(2 * pause, kLongestPause)) {
    if (steady_clock::now() >= limit) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

int ChildProcess::end() noexcept {
  if (!is_reaped_ && !(has_ended() && status_ == kLostStatus)) {
    ::kill(has_own_group_ ? -pid_ : pid_, SIGKILL);
    status_ = reap_elsewhere_ ? reap_elsewhere_() : reap(pid_);
  }
  is_reaped_ = true;
  return *status_;
}

std::optional<int> ended_status(pid_t child) noexcept {
  siginfo_t info{};
  int result = 0;
  do {
    result = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return kLostStatus;
  if (info.si_pid == 0) return std::nullopt;
  return info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
}

std::string describe_end(int wait_status) {
  if (wait_status == kLostStatus)
    return "ended; its exit status is unknown, since other code collected it";
  if (!WIFSIGNALED(wait_status)) return fmt::format("exited with {}", WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  return fmt::format("was killed by {}{}", signal_name(number),
                     number == SIGKILL ? " (out of memory?)" : "");
}

std::string signal_name(int number) {
  const char* const name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

void become(const Program& program) { throw cannot_be_started(program, Exec(program).run()); }

int exit_as(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};  // The child has left a core dump already if it could.
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(number, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
  return 128 + number;  // The signal's default action is not to end a process.
}

}  // namespace feedrate
