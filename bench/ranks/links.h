// SPDX-License-Identifier: Apache-2.0
// The connections of a rank: of rank 0 to all others, of each other one to rank 0; and the messages
// on them. One thread an object.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace feedrate {

enum class FrameKind : std::uint8_t {
  give,    ///< to rank 0: what a rank gives to a collective
  result,  ///< from rank 0
  lost,    ///< from rank 0: a rank is lost without a word
  left,    ///< from rank 0: a rank has left, and others miss it
  failed,  ///< from rank 0: nothing goes on, though no rank is lost
  leave,   ///< the sender leaves
  ended,   ///< never sent: the connection has ended; the payload says how
};

enum class Collective : std::uint8_t { barrier, all_gather, gather, broadcast, agree, sum };

struct Frame {
  FrameKind kind = FrameKind::give;
  Collective collective = Collective::barrier;
  std::uint64_t about = 0;  ///< root of a broadcast, numbers of a sum, or the rank that is gone
  std::string payload = {};
};

/// The same program reads it, on a machine of the same kind.
[[nodiscard]] std::string encode_frame(const Frame& frame);
/// The first frame of `bytes`, and how many of them it takes; nothing if it is not complete.
[[nodiscard]] std::optional<Frame> decode_frame(std::string_view bytes, std::size_t& size);

class Links {
 public:
  virtual ~Links() = default;

  /// Returns when the message is on its way. A connection that has ended is reported by receive()
  /// only. Throws Cancelled.
  virtual void send(int to, const Frame& frame, const std::stop_token& stop) = 0;
  /// Sends a short message without waiting, if that is possible.
  virtual void try_send(int to, const Frame& frame) noexcept = 0;

  struct Incoming {
    int from = 0;
    Frame frame;
  };
  /// The next message that has come, or comes within `longest`. Of one rank in their order.
  [[nodiscard]] virtual std::optional<Incoming> receive(std::chrono::milliseconds longest) = 0;
};

}  // namespace feedrate
