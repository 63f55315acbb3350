// SPDX-License-Identifier: Apache-2.0
// A forked process, owned: destroying the object ends the process.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include <sys/types.h>

#include "core/units.h"

namespace feedrate {

/// Runs in the child and nowhere else. The child has one thread and copies of all that the parent
/// had; it ends without destructors, exit handlers and flushing, which are the parent's business.
using ChildBody = std::function<void()>;

/// One thread. The kernel kills the child when the thread that forked it ends, so that it cannot
/// outlive its parent, however that ends: that thread must live as long as the child is wanted.
class ChildProcess {
 public:
  /// Forks. In the child, `name` is the name of the process, no signal is blocked, all have their
  /// default effect but for SIGINT and SIGHUP, which are for the parent to act on, and `body`
  /// decides about nothing but the exit code: 0 if it returns, 1 if it throws. Throws SystemError,
  /// `what` being its subject.
  ChildProcess(const std::string& what, const std::string& name, const ChildBody& body);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills it if it still runs.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool has_ended() noexcept;
  /// Whether has_ended() or wait() has said so.
  [[nodiscard]] bool is_known_to_have_ended() const noexcept { return ended_; }
  /// As waitpid() gives it; empty if it still runs or somebody else took it.
  [[nodiscard]] std::optional<int> status() const noexcept { return status_; }
  void send_signal(int number) noexcept;
  /// Waits without a limit.
  void wait() noexcept;

 private:
  void reap(int options) noexcept;

  pid_t pid_;
  bool ended_ = false;
  std::optional<int> status_;
};

/// How worker `number` ended, why that may be, and what to do about it.
[[nodiscard]] std::string describe_death(std::size_t number, pid_t pid, std::optional<int> status);

}  // namespace feedrate
