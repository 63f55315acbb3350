// SPDX-License-Identifier: Apache-2.0
// The sockets between a pool and its worker processes. Messages to a worker are a stream with
// lengths, which has no limit of size; results come from all workers through one socket of packets,
// which the kernel keeps whole: a worker that is killed can neither tear a packet nor keep a lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <sys/socket.h>

#include "core/host/file.h"
#include "core/units.h"

namespace feedrate {

struct SocketPair {
  UniqueFd parent;
  UniqueFd worker;
};

/// Throw SystemError, which names the limit that was hit. `purpose` is its subject.
[[nodiscard]] SocketPair make_sockets(std::string_view purpose, int type = SOCK_STREAM);
[[nodiscard]] SocketPair make_task_sockets();
[[nodiscard]] SocketPair make_result_sockets();

/// Blocks until all is written. False if the other end is closed.
[[nodiscard]] bool send_frame(int socket, Bytes message);
/// Blocks for one message; empty at the end.
[[nodiscard]] std::optional<std::vector<std::byte>> receive_frame(int socket);

/// Maximum number of descriptors sent with a message.
inline constexpr std::size_t kMaxDescriptors = 4;

enum class SendOutcome {
  kSent,
  kNobodyThere,
  kTooManyInFlight,  ///< descriptors, for RLIMIT_NOFILE; the message is void
};

/// Sends one message whole, with descriptors.
[[nodiscard]] SendOutcome send_with_descriptors(int socket, Bytes message,
                                                std::span<const int> descriptors);

/// Sends a message of any length as packets; those of other workers may lie between.
[[nodiscard]] SendOutcome send_result(int socket, std::uint32_t worker, Bytes message,
                                      const std::vector<UniqueFd>& descriptors);

struct Arrived {
  std::vector<std::byte> message;
  std::vector<UniqueFd> descriptors;  ///< fewer than were sent if too many files are open
};

/// Puts packets together again. One thread.
class ResultReceiver {
 public:
  /// The next whole message; empty when nothing more can be read now.
  [[nodiscard]] std::optional<Arrived> try_receive(int socket);

 private:
  std::vector<std::byte> packet_;              // Room for the largest.
  std::vector<std::vector<std::byte>> begun_;  // By worker.
};

}  // namespace feedrate
