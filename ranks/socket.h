// Sockets of TCP and of Unix, by which ranks talk: never inherited by a program that is started,
// never blocking but in the functions that say until when. Any thread, one a socket at a time.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/unique_fd.h"

namespace feedrate {

using Deadline = std::chrono::steady_clock::time_point;

/// Where somebody listens. Of a Unix socket `host` is empty and `path` is not.
struct Endpoint {
  std::string host = {};  ///< a name, or an address in digits
  int port = 0;
  std::string path = {};
};

/// "10.0.0.1:3321", "[fd00::1]:3321" or a path.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);
/// The other way; nothing where it is none. The host must be in digits.
[[nodiscard]] std::optional<Endpoint> parse_endpoint(std::string_view text);

class Listener {
 public:
  /// At the endpoint's path or, of its host's addresses, at the first that is this machine's; at
  /// any free port if it is 0. Throws SystemError.
  explicit Listener(const Endpoint& endpoint);

  /// Where it listens, in digits.
  [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Who has come; nothing if nobody has. At a Unix socket only this user's processes: others are
  /// turned away. `from` is their address.
  [[nodiscard]] std::optional<UniqueFd> accept(std::string& from);

 private:
  UniqueFd fd_;
  Endpoint endpoint_;
};

/// Throws SystemError, or Cancelled.
[[nodiscard]] UniqueFd connect_to(const Endpoint& endpoint, Deadline deadline,
                                  const std::stop_token& stop);

/// The address of this end in digits, without a port; empty of a Unix socket.
[[nodiscard]] std::string own_host(int fd);

/// As much as goes now; nothing where the connection is broken.
[[nodiscard]] std::optional<std::size_t> send_some(int fd, std::string_view bytes);
/// Appends what has come, at most so much. False where the connection is closed or broken.
[[nodiscard]] bool receive_some(int fd, std::string& to, std::size_t most);

/// Throw Error where the connection ends or the deadline passes, or Cancelled. `peer` is named.
void send_all(int fd, std::string_view bytes, const std::string& peer, Deadline deadline,
              const std::stop_token& stop);
[[nodiscard]] std::string receive_exactly(int fd, std::size_t size, const std::string& peer,
                                          Deadline deadline, const std::stop_token& stop);

/// The addresses of this machine's interfaces that are up, without the loopback's; IPv4 first.
[[nodiscard]] std::vector<std::string> addresses_of_interfaces();
/// Whether all addresses of a name are the loopback's, or it has none.
[[nodiscard]] bool is_loopback(const std::string& host);

}  // namespace feedrate
