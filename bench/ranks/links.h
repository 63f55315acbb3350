// SPDX-License-Identifier: Apache-2.0
// The connections of a rank and the messages on them. Rank 0 is connected to all others, and each
// other rank to rank 0. One thread per object.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace feedrate {

enum class FrameKind : std::uint8_t {
  give,    ///< to rank 0: a rank's input to a collective
  result,  ///< from rank 0
  lost,    ///< from rank 0: a rank is lost without notice
  left,    ///< from rank 0: a rank has left, and others need it
  failed,  ///< from rank 0: the group fails, though no rank is lost
  leave,   ///< the sender leaves
  ended,   ///< never sent: the connection has ended; the payload says why
};

enum class Collective : std::uint8_t { barrier, all_gather, gather, broadcast, agree, sum };

struct Frame {
  FrameKind kind = FrameKind::give;
  Collective collective = Collective::barrier;
  std::uint64_t about = 0;  ///< root of a broadcast, count of a sum, or the rank that is gone
  std::string payload = {};
};

/// Native byte order: the same program reads it, on the same kind of machine.
[[nodiscard]] std::string encode_frame(const Frame& frame);
/// Decodes the first frame of `bytes` and sets `size` to its length; returns nothing if it is not
/// complete.
[[nodiscard]] std::optional<Frame> decode_frame(std::string_view bytes, std::size_t& size);

class Links {
 public:
  virtual ~Links() = default;

  /// Returns when the message is on its way. Only receive() reports a connection that has ended.
  /// Throws Cancelled.
  virtual void send(int to, const Frame& frame, const std::stop_token& stop) = 0;
  /// Sends a short message if that is possible without waiting.
  virtual void try_send(int to, const Frame& frame) noexcept = 0;

  struct Incoming {
    int from = 0;
    Frame frame;
  };
  /// Returns the next message if one arrives within `longest`. Messages of one rank keep their
  /// order.
  [[nodiscard]] virtual std::optional<Incoming> receive(std::chrono::milliseconds longest) = 0;
};

}  // namespace feedrate
