// What ranks send each other, as bytes; little-endian, whatever the machine. Pure functions, for
// bytes that may be hostile: nothing is allocated because a length says so. One thread an object.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ranks/secret.h"

namespace feedrate {

// --- Who is there: before anything else, of fixed size each way --------------------------------

enum class Purpose : std::uint8_t { control = 1, ring = 2 };

/// What a rank says of itself, and proves to be of the job.
struct RankClaim {
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  Purpose purpose = Purpose::control;
};

inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::size_t kGreetingBytes = kMagicBytes + kNonceBytes;
inline constexpr std::size_t kProofBytes = kMagicBytes + 12 + kNonceBytes + kMacBytes;
inline constexpr std::size_t kAnswerBytes = kMagicBytes + kMacBytes;

/// The listener's first words; the nonce is its own. Nothing where the bytes are something else.
[[nodiscard]] std::string encode_greeting(std::string_view nonce);
[[nodiscard]] std::optional<std::string> decode_greeting(std::string_view bytes);

/// Its peer's reply, to the listener's nonce with one of its own.
[[nodiscard]] std::string encode_proof(std::string_view secret, const RankClaim& claim,
                                       std::string_view listeners_nonce,
                                       std::string_view own_nonce);
struct Proof {
  RankClaim claim;
  std::string nonce;
};
/// Nothing where it proves nothing.
[[nodiscard]] std::optional<Proof> decode_proof(std::string_view secret, std::string_view bytes,
                                                std::string_view listeners_nonce);

/// The listener's, that it knows the secret, too. A refusal is of the same size.
[[nodiscard]] std::string encode_answer(std::string_view secret, const RankClaim& claim,
                                        std::string_view peers_nonce);
[[nodiscard]] std::string encode_refusal();
enum class RankAnswer { proven, refused, wrong };
[[nodiscard]] RankAnswer decode_answer(std::string_view secret, const RankClaim& claim,
                                       std::string_view own_nonce, std::string_view bytes);

// --- Frames: what they say afterwards ----------------------------------------------------------

enum class FrameKind : std::uint8_t {
  heartbeat = 1,
  give = 2,
  result = 3,
  lost = 4,
  leave = 5,
  failed = 6
};
enum class Collective : std::uint8_t {
  none = 0,
  barrier = 1,
  all_gather = 2,
  gather = 3,
  broadcast = 4,
  agree = 5,
};
/// "all_gather()", for people.
[[nodiscard]] std::string_view to_string(Collective collective);

struct Frame {
  FrameKind kind = FrameKind::heartbeat;
  Collective collective = Collective::none;
  std::uint32_t rank = 0;      ///< root of a broadcast, whose part of a result, or who is lost
  std::uint32_t sequence = 0;  ///< of the collective
  std::string payload = {};
};

inline constexpr std::size_t kFrameHeaderBytes = 16;

[[nodiscard]] std::string encode_frame(const Frame& frame);

/// Takes bytes as they come, and gives frames as they are whole.
class FrameReader {
 public:
  explicit FrameReader(std::size_t most_payload) noexcept : most_payload_(most_payload) {}

  void append(std::string_view bytes) { buffer_ += bytes; }
  /// Throws Error where the bytes are no frame, or one of more than so much payload.
  [[nodiscard]] std::optional<Frame> next();

 private:
  void forget_taken();

  std::size_t most_payload_;
  std::string buffer_;
  std::size_t start_ = 0;  // Of what next() has not given yet.
};

}  // namespace feedrate
