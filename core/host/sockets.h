// SPDX-License-Identifier: Apache-2.0
// The sockets between a pool and its worker processes. Messages to a worker are a stream of frames
// with lengths, without a size limit. Results of all workers come through one packet socket, whose
// packets are atomic: a killed worker can neither leave a part of a packet nor keep a lock.
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

/// Throw SystemError, which names the limit that was reached. `purpose` is its subject.
[[nodiscard]] SocketPair make_sockets(std::string_view purpose, int type = SOCK_STREAM);
[[nodiscard]] SocketPair make_task_sockets();
[[nodiscard]] SocketPair make_result_sockets();

/// Blocks until all is written. Returns false if the other end is closed.
[[nodiscard]] bool send_frame(int socket, Bytes message);
/// Blocks for one message; returns nothing at the end of the stream.
[[nodiscard]] std::optional<std::vector<std::byte>> receive_frame(int socket);

/// Maximum number of descriptors sent with a message.
inline constexpr std::size_t kMaxDescriptors = 4;

enum class SendOutcome {
  kSent,
  kNobodyThere,
  kTooManyInFlight,  ///< too many descriptors for RLIMIT_NOFILE; the message is not sent
};

/// Sends one whole message with descriptors.
[[nodiscard]] SendOutcome send_with_descriptors(int socket, Bytes message,
                                                std::span<const int> descriptors);

/// Sends a message of any length as packets; packets of other workers may come between them.
[[nodiscard]] SendOutcome send_result(int socket, std::uint32_t worker, Bytes message,
                                      const std::vector<UniqueFd>& descriptors);

struct Arrived {
  std::vector<std::byte> message;
  std::vector<UniqueFd> descriptors;  ///< fewer than were sent if too many files are open
};

/// Joins packets to messages. One thread.
class ResultReceiver {
 public:
  /// The next whole message; empty when nothing more can be read now.
  [[nodiscard]] std::optional<Arrived> try_receive(int socket);

 private:
  std::vector<std::byte> packet_;              // Large enough for any packet.
  std::vector<std::vector<std::byte>> begun_;  // Incomplete messages by worker.
};

}  // namespace feedrate
