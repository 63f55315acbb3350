// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/fork_mutex.h"
#include "core/host/processes.h"
#include "core/unique_fd.h"

namespace feedrate {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using Variables = std::map<std::string, std::string>;

constexpr std::chrono::milliseconds kPollInterval{20};

// Arguments of exec(). The child must not allocate memory.
class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  [[nodiscard]] char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

std::vector<std::string> merged_environment(const Variables& own) {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) {
    const std::string_view text = *word;
    if (!own.contains(std::string(text.substr(0, text.find('='))))) words.emplace_back(text);
  }
  for (const auto& [name, value] : own) words.push_back(fmt::format("{}={}", name, value));
  return words;
}

// Socket pairs between rank 0 and each other rank. A rank inherits its own ends.
class RankSockets {
 public:
  explicit RankSockets(int ranks) {
    for (int rank = 1; rank < ranks; ++rank) {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw SystemError("sockets between ranks", "cannot be made", errno);
      }
      of_root_.emplace_back(ends[0]);
      of_others_.emplace_back(ends[1]);
    }
  }

  [[nodiscard]] std::vector<int> of(int rank) const {
    if (rank > 0) return {of_others_[static_cast<std::size_t>(rank) - 1].get()};
    std::vector<int> numbers;
    for (const UniqueFd& fd : of_root_) numbers.push_back(fd.get());
    return numbers;
  }

 private:
  std::vector<UniqueFd> of_root_;
  std::vector<UniqueFd> of_others_;
};

Variables variables_of(int rank, int count, const SpawnOptions& options,
                       const std::vector<int>& sockets) {
  Variables variables = options.environment;
  if (static_cast<std::size_t>(rank) < options.of_rank.size()) {
    for (const auto& [name, value] : options.of_rank[static_cast<std::size_t>(rank)]) {
      variables[name] = value;
    }
  }
  variables["FEEDRATE_RANK"] = variables["FEEDRATE_LOCAL_RANK"] = std::to_string(rank);
  variables["FEEDRATE_RANKS"] = variables["FEEDRATE_LOCAL_RANKS"] = std::to_string(count);
  variables["FEEDRATE_RANK_SOCKETS"] = fmt::format("{}", fmt::join(sockets, " "));
  return variables;
}

// Runs in the child, which may only make system calls.
[[noreturn]] void exec_rank(const char* program, const Words& arguments, const Words& environment,
                            const std::vector<int>& sockets, pid_t parent, int problem_pipe) {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) static_cast<void>(::signal(number, SIG_DFL));
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // The parent died before prctl().
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  for (const int socket : sockets) ::fcntl(socket, F_SETFD, 0);
  ::execve(program, arguments.get(), environment.get());
  const int problem = errno;
  static_cast<void>(::write(problem_pipe, &problem, sizeof problem));
  ::_exit(127);
}

struct Child {
  pid_t pid = -1;
  RankExit exit;
  bool has_ended = false;
};

class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    send(SIGKILL);
    for (Child& child : children_) reap(child, 0);
  }

  void start(int rank, const std::string& program, const Words& arguments, const Words& environment,
             const std::vector<int>& sockets) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError("a pipe", "cannot be made", errno);
    const UniqueFd in(ends[0]);
    UniqueFd out(ends[1]);
    const pid_t parent = ::getpid();
    pid_t pid = -1;
    {
      const std::lock_guard lock(fork_mutex());
      pid = ::fork();
      if (pid == 0) {
        exec_rank(program.c_str(), arguments, environment, sockets, parent, out.get());
      }
    }
    if (pid < 0) throw SystemError(fmt::format("rank {}", rank), "cannot fork", errno);
    Child& child = children_.emplace_back();
    child.pid = pid;
    child.exit.rank = rank;
    out = UniqueFd();
    int problem = 0;
    if (::read(in.get(), &problem, sizeof problem) == sizeof problem) {
      throw SystemError(program, fmt::format("cannot be started as rank {}", rank), problem);
    }
  }

  void send(int signal) {
    for (Child& child : children_) {
      if (child.has_ended) continue;
      if (signal == SIGKILL) child.exit.was_ended_by_us = true;
      ::kill(child.pid, signal);
    }
  }

  /// Reaps the children that have ended. Returns false when none is left.
  bool reap_ended() {
    bool is_any_left = false;
    for (Child& child : children_) {
      reap(child, WNOHANG);
      is_any_left = is_any_left || !child.has_ended;
    }
    return is_any_left;
  }

  [[nodiscard]] bool has_failed() const {
    return std::any_of(children_.begin(), children_.end(),
                       [](const Child& child) { return child.has_ended && child.exit.code != 0; });
  }

  [[nodiscard]] std::vector<RankExit> exits() const {
    std::vector<RankExit> exits;
    for (const Child& child : children_) exits.push_back(child.exit);
    return exits;
  }

 private:
  void reap(Child& child, int options) {
    if (child.has_ended) return;
    int status = 0;
    pid_t result = 0;
    do {
      result = ::waitpid(child.pid, &status, options);
    } while (result < 0 && errno == EINTR);
    if (result == 0) return;
    child.has_ended = true;
    child.exit.order = ended_++;
    if (result != child.pid) {
      child.exit.code = 1;  // Other code has reaped it.
    } else if (WIFSIGNALED(status)) {
      child.exit.signal = WTERMSIG(status);
      child.exit.code = 128 + WTERMSIG(status);
    } else {
      child.exit.code = WEXITSTATUS(status);
    }
  }

  std::vector<Child> children_;
  int ended_ = 0;
};

// Sends SIGTERM if one has failed or `stop` was requested.
void wait_for(Children& children, std::chrono::milliseconds grace, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::optional<SteadyTime> terminate_at;
  std::optional<SteadyTime> kill_at;
  while (children.reap_ended()) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (!terminate_at && children.has_failed()) terminate_at = now + grace;
    if (stop.stop_requested() || (terminate_at && now >= *terminate_at)) {
      if (!kill_at) {
        children.send(SIGTERM);
        kill_at = now + grace;
      }
    }
    if (kill_at && now >= *kill_at) children.send(SIGKILL);
    if (stop.stop_requested()) {
      std::this_thread::sleep_for(kPollInterval);
      continue;
    }
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, kPollInterval, [] { return false; });
  }
}

// The destructor of `sockets` closes this process's ends, so that the end of a rank is noticed.
void start_all(Children& children, int count, const SpawnOptions& options,
               const std::string& program, const Words& arguments) {
  const RankSockets sockets(count);
  for (int rank = 0; rank < count; ++rank) {
    const std::vector<int> own = sockets.of(rank);
    const Words environment(merged_environment(variables_of(rank, count, options, own)));
    children.start(rank, program, arguments, environment, own);
  }
}

}  // namespace

std::vector<RankExit> run_ranks(int count, const SpawnOptions& options,
                                const std::stop_token& stop) {
  const std::string program = (options.program.empty() ? own_program() : options.program).string();
  std::vector<std::string> words{program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const Words arguments(std::move(words));
  Children children;
  start_all(children, count, options, program, arguments);
  wait_for(children, options.grace, stop);
  return children.exits();
}

std::string describe_failure(const std::vector<RankExit>& exits) {
  // Killed ranks come before those that ended because of them: they may be reaped in any order.
  const auto key = [](const RankExit& exit) {
    return std::pair(!exit.signal || exit.was_ended_by_us, exit.order);
  };
  const RankExit* first = nullptr;
  for (const RankExit& exit : exits) {
    if (exit.code != 0 && (first == nullptr || key(exit) < key(*first))) first = &exit;
  }
  if (first == nullptr) return "";
  if (!first->signal)
    return fmt::format("rank {} ended with exit code {}", first->rank, first->code);
  const char* const name = ::sigabbrev_np(*first->signal);
  return fmt::format("rank {} was killed by SIG{}{}", first->rank, name == nullptr ? "?" : name,
                     first->was_ended_by_us ? ", because it did not end after SIGTERM" : "");
}

}  // namespace feedrate
