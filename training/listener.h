// SPDX-License-Identifier: Apache-2.0
// The socket to which the script's processes connect. One thread.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/clock.h"
#include "core/host/file.h"
#include "training/messages.h"

namespace feedrate {

/// Called with each message and the number of its connection; numbers are never used again.
using OnScriptMessage = std::function<void(std::size_t connection, const ScriptMessage&)>;

class ScriptListener {
 public:
  /// A Unix socket at `path`. Throws SystemError.
  explicit ScriptListener(const std::filesystem::path& path);

  /// Waits for data, until `other` is readable, or until `patience` is over, and passes on complete
  /// messages. A connection that sends anything else is closed; problem() has the reason. False
  /// without data and without a new connection.
  bool receive(int other, Nanos patience, const OnScriptMessage& on_message);

  /// Sends a line to a process. One that does not read it is disconnected and continues without
  /// feedrate.
  void send(std::size_t connection, const std::string& line);

  [[nodiscard]] bool has_connected() const noexcept { return next_ > 0; }
  /// There were connections, and all have closed.
  [[nodiscard]] bool has_ended() const noexcept { return has_connected() && connections_.empty(); }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  struct Connection {
    UniqueFd socket;
    std::string buffer;  // An incomplete line.
  };

  /// Returns whether there was one.
  bool accept_all();
  /// Returns false at its end.
  [[nodiscard]] bool read(std::size_t number, Connection& connection,
                          const OnScriptMessage& on_message);

  SteadyClock clock_;
  UniqueFd socket_;
  Nanos next_accept_{};
  std::map<std::size_t, Connection> connections_;
  std::size_t next_ = 0;
  std::string problem_;  // The last one of a connection; empty: none.
};

}  // namespace feedrate
