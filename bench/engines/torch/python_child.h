// SPDX-License-Identifier: Apache-2.0
// A program as a child in a process group of its own, with a socket to it. Whatever happens, the
// group does not outlive the object.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "core/host/file.h"
#include "core/units.h"

namespace feedrate {

/// One that was just started, in a group of its own.
struct StartedPython {
  pid_t id = -1;
  UniqueFd socket;  ///< to its descriptor 3; does not block, as the next
  UniqueFd output;  ///< of its standard output and error
  /// Waits for its end, once it is killed, and returns its wait status; nothing if it cannot be
  /// known because the process that forked it is gone, and it with that.
  std::function<std::optional<int>()> reap;
};

/// One thread, which must live as long as the child: a child that asks to die with its parent dies
/// with the thread that started it.
class PythonChild {
 public:
  explicit PythonChild(StartedPython started) : started_(std::move(started)) {}
  /// The other one is as if it had ended.
  PythonChild(PythonChild&& other) noexcept
      : started_(std::move(other.started_)), status_(std::exchange(other.status_, 0)) {}
  PythonChild& operator=(PythonChild&&) = delete;
  /// Kills the group at once.
  ~PythonChild();

  [[nodiscard]] pid_t id() const noexcept { return started_.id; }
  /// Both do not block.
  [[nodiscard]] int socket() const noexcept { return started_.socket.get(); }
  [[nodiscard]] int output() const noexcept { return started_.output.get(); }

  /// Whether the child itself has ended; its group may be alive.
  [[nodiscard]] bool has_ended() const;
  /// Waits for the child for `patience`, and no longer. Returns has_ended().
  [[nodiscard]] bool wait(Nanos patience) const;
  /// To the child only, so that it can tidy up.
  void send(int signal) const;
  /// Kills what is left of the group, waits for it, and says how the child ended: "exited with code
  /// 3", "was killed by signal 9 (Killed)".
  std::string end();

 private:
  StartedPython started_;
  std::optional<int> status_;
};

/// Starts `program` (an absolute path). Descriptor 3 is a stream socket to us, standard input is
/// empty, standard output and error are one pipe. Signals are unblocked and at their defaults.
/// Throws SystemError.
[[nodiscard]] PythonChild start_python(const std::vector<std::string>& program);

/// Both ends of what a child talks through; ours do not block, theirs are above descriptor 3.
struct ChildEnds {
  UniqueFd our_socket, their_socket;
  UniqueFd our_output, their_output;
};

/// Throws SystemError that begins with `name`.
[[nodiscard]] ChildEnds open_child_ends(const std::string& name);

/// "was killed by signal 9 (Killed)", of a wait status.
[[nodiscard]] std::string describe_end(int wait_status);

}  // namespace feedrate
