// SPDX-License-Identifier: Apache-2.0
// Child processes: copies of this process and other programs, their signals, environment and
// descriptors, and how they ended.
#pragma once
#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/unique_fd.h"
#include "core/units.h"

namespace feedrate {

struct Pipe {
  UniqueFd reading, writing;
};
/// Both ends are closed on exec. Throws SystemError.
[[nodiscard]] Pipe make_pipe();

/// Ignores the signals of `ignored`, gives all others their default action and unblocks all.
/// Async-signal-safe: a child may call it between fork() and exec().
void reset_signals(std::initializer_list<int> ignored = {}) noexcept;

using EnvironmentVariables = std::map<std::string, std::string>;

/// Stands for /dev/null in `Program::descriptors`.
inline constexpr int kNull = -1;

struct Program {
  std::vector<std::string> words;         ///< the first is looked up on PATH
  EnvironmentVariables environment = {};  ///< replaces variables of this process, or adds them
  /// {descriptor of this process, its number in the child}
  std::vector<std::pair<int, int>> descriptors = {};
  /// A terminal's Ctrl-C does not reach a process group of its own. All of it ends with the child.
  bool has_own_group = false;
  /// If false, the child outlives the ChildProcess and this process.
  bool ends_with_parent = true;
  /// Runs in the child before exec(), so it may only make async-signal-safe calls.
  std::function<void()> set_signals = [] { reset_signals(); };
};

/// A child process, owned. Used by one thread. The kernel kills the child when the thread that
/// started it ends, so that no child outlives its parent: that thread must live as long as the
/// child is wanted. A child that has ended stays a zombie until end() or the destructor reaps it,
/// so that its pid and its process group cannot be reused.
class ChildProcess {
 public:
  /// Forks. The child has one thread and the name `name`; it runs `body`, then exits with 0, or 1
  /// if `body` throws, without destructors, exit handlers or flushing. It ignores SIGINT and
  /// SIGHUP, on which the parent acts. Throws SystemError, whose subject is `what`.
  ChildProcess(const std::string& what, const std::string& name, const std::function<void()>& body);
  /// Throws ConfigError if the program cannot be executed, SystemError if no process can be made.
  explicit ChildProcess(const Program& program);
  /// Takes over the leader of a process group that another process has forked for this one.
  /// `reap` waits for the killed child there and returns its wait status.
  ChildProcess(pid_t pid, std::function<int()> reap);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Calls end() if the child is to end with its parent.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// The child's descendants may still run.
  [[nodiscard]] bool has_ended() noexcept;
  /// Whether an earlier call of has_ended() has returned true.
  [[nodiscard]] bool is_known_to_have_ended() const noexcept { return status_.has_value(); }
  /// The wait status, or kLostStatus; empty until has_ended() has returned true.
  [[nodiscard]] std::optional<int> status() const noexcept { return status_; }
  void send_signal(int number) noexcept;
  /// Waits at most `patience`. Returns has_ended().
  bool wait(Nanos patience = std::chrono::years(1)) noexcept;
  /// Kills the child, or all of its own process group, reaps it and returns its wait status.
  int end() noexcept;

 private:
  pid_t pid_ = -1;
  bool has_own_group_ = false;
  bool ends_with_parent_ = true;
  bool is_reaped_ = false;
  std::function<int()> reap_elsewhere_;
  std::optional<int> status_;
};

/// The wait status of a child that other code has reaped: exit code 1, and a bit that the kernel
/// never sets.
inline constexpr int kLostStatus = (1 << 16) | (1 << 8);

/// The wait status of a child that has ended. Does not reap it. Any thread.
[[nodiscard]] std::optional<int> ended_status(pid_t child) noexcept;

/// "exited with 7", "was killed by SIGKILL (out of memory?)"
[[nodiscard]] std::string describe_end(int wait_status);

/// "SIGKILL"
[[nodiscard]] std::string signal_name(int number);

/// Replaces this process by `program`, which gets no descriptors. Throws ConfigError.
[[noreturn]] void become(const Program& program);

/// Returns the exit code of a child. If a signal ended the child, it also ends this process.
[[nodiscard]] int exit_as(int wait_status);

}  // namespace feedrate
