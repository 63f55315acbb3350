#include "ranks/wire.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

// The last but one character is the version of all that follows.
constexpr std::string_view kMagic = "FRRANK1\n";
constexpr std::string_view kRefusal = "FRNO  1\n";
static_assert(kMagic.size() == kMagicBytes && kRefusal.size() == kMagicBytes);

void put(std::string& out, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((number >> shift) & 0xFFU);
}

std::uint32_t take(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return number;
}

std::string encode_claim(const RankClaim& claim) {
  std::string text;
  put(text, claim.rank);
  put(text, claim.size);
  put(text, static_cast<std::uint32_t>(claim.purpose));
  return text;
}

// Different words on the two sides, so that neither's proof serves the other.
std::string proof_of_peer(std::string_view secret, const RankClaim& claim,
                          std::string_view listeners_nonce, std::string_view peers_nonce) {
  return mac_of(secret,
                fmt::format("peer{}{}{}", listeners_nonce, peers_nonce, encode_claim(claim)));
}

std::string proof_of_listener(std::string_view secret, const RankClaim& claim,
                              std::string_view peers_nonce) {
  return mac_of(secret, fmt::format("listener{}{}", peers_nonce, encode_claim(claim)));
}

bool is_known(FrameKind kind) { return kind >= FrameKind::heartbeat && kind <= FrameKind::failed; }
bool is_known(Collective collective) { return collective <= Collective::agree; }

}  // namespace

std::string_view to_string(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return "barrier()";
    case Collective::all_gather:
      return "all_gather()";
    case Collective::gather:
      return "gather()";
    case Collective::broadcast:
      return "broadcast()";
    case Collective::agree:
      return "agree()";
    case Collective::none:
      break;
  }
  return "nothing";
}

std::string encode_greeting(std::string_view nonce) { return fmt::format("{}{}", kMagic, nonce); }

std::optional<std::string> decode_greeting(std::string_view bytes) {
  if (bytes.size() != kGreetingBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  return std::string(bytes.substr(kMagicBytes));
}

std::string encode_proof(std::string_view secret, const RankClaim& claim,
                         std::string_view listeners_nonce, std::string_view own_nonce) {
  return fmt::format("{}{}{}{}", kMagic, encode_claim(claim), own_nonce,
                     proof_of_peer(secret, claim, listeners_nonce, own_nonce));
}

std::optional<Proof> decode_proof(std::string_view secret, std::string_view bytes,
                                  std::string_view listeners_nonce) {
  if (bytes.size() != kProofBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  const std::uint32_t purpose = take(bytes, kMagicBytes + 8);
  if (purpose != static_cast<std::uint32_t>(Purpose::control) &&
      purpose != static_cast<std::uint32_t>(Purpose::ring)) {
    return std::nullopt;
  }
  Proof proof;
  proof.claim = {.rank = take(bytes, kMagicBytes),
                 .size = take(bytes, kMagicBytes + 4),
                 .purpose = static_cast<Purpose>(purpose)};
  proof.nonce = bytes.substr(kMagicBytes + 12, kNonceBytes);
  const std::string expected = proof_of_peer(secret, proof.claim, listeners_nonce, proof.nonce);
  if (!is_same_mac(expected, bytes.substr(kProofBytes - kMacBytes))) return std::nullopt;
  return proof;
}

std::string encode_answer(std::string_view secret, const RankClaim& claim,
                          std::string_view peers_nonce) {
  return fmt::format("{}{}", kMagic, proof_of_listener(secret, claim, peers_nonce));
}

std::string encode_refusal() { return fmt::format("{}{}", kRefusal, std::string(kMacBytes, '\0')); }

RankAnswer decode_answer(std::string_view secret, const RankClaim& claim,
                         std::string_view own_nonce, std::string_view bytes) {
  if (bytes.size() != kAnswerBytes) return RankAnswer::wrong;
  if (bytes.starts_with(kRefusal)) return RankAnswer::refused;
  const bool is_proven =
      bytes.starts_with(kMagic) &&
      is_same_mac(proof_of_listener(secret, claim, own_nonce), bytes.substr(kMagicBytes));
  return is_proven ? RankAnswer::proven : RankAnswer::wrong;
}

std::string encode_frame(const Frame& frame) {
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + frame.payload.size());
  put(bytes, static_cast<std::uint32_t>(frame.kind) | static_cast<std::uint32_t>(frame.collective)
                                                          << 8);
  put(bytes, frame.rank);
  put(bytes, frame.sequence);
  put(bytes, static_cast<std::uint32_t>(frame.payload.size()));
  return bytes += frame.payload;
}

// Not at each frame: what is behind it would be moved each time.
void FrameReader::forget_taken() {
  if (start_ < buffer_.size() && start_ < buffer_.size() / 2) return;
  buffer_.erase(0, start_);
  start_ = 0;
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (rest.size() < kFrameHeaderBytes) return std::nullopt;
  const std::uint32_t what = take(rest, 0);
  Frame frame{.kind = static_cast<FrameKind>(what & 0xFFU),
              .collective = static_cast<Collective>((what >> 8) & 0xFFU),
              .rank = take(rest, 4),
              .sequence = take(rest, 8)};
  if ((what >> 16) != 0 || !is_known(frame.kind) || !is_known(frame.collective)) {
    throw Error(fmt::format("a message of kind {:#x}: is none of ours", what));
  }
  const std::size_t size = take(rest, 12);
  if (size > most_payload_) {
    throw Error(fmt::format("a message of {} bytes: at most {} are taken", size, most_payload_));
  }
  if (rest.size() < kFrameHeaderBytes + size) return std::nullopt;
  frame.payload = rest.substr(kFrameHeaderBytes, size);
  start_ += kFrameHeaderBytes + size;
  forget_taken();
  return frame;
}

}  // namespace feedrate
