// What comes over a socket between ranks, and the file that tells where they meet: a decision which
// of them, then the bytes.
#include "ranks/meeting.h"
#include "ranks/wire.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

constexpr std::size_t kMostPayload = 1000;
constexpr std::string_view kSecret = "a secret that is known here";

// However the bytes come, the frames are the same; and what is given is what is written again.
bool take_frames(std::string_view bytes) {
  FrameReader whole(kMostPayload);
  FrameReader pieces(kMostPayload);
  whole.append(bytes);
  std::string again;
  const bool is_refused = !accepts([&] {
    while (const auto frame = whole.next()) again += encode_frame(*frame);
  });
  std::string again_of_pieces;
  const bool is_taken = accepts([&] {
    for (const char byte : bytes) {
      pieces.append({&byte, 1});
      while (const auto frame = pieces.next()) again_of_pieces += encode_frame(*frame);
    }
  });
  if (is_taken == is_refused) finding("frames are refused by the way that they come");
  if (again != again_of_pieces) finding("frames differ by the way that they come");
  if (!bytes.starts_with(again)) finding("frames are not written as they were read");
  return !again.empty();
}

bool take_proof(std::string_view bytes) {
  const std::string nonce(kNonceBytes, 'n');
  const auto proof = decode_proof(kSecret, bytes, nonce);
  if (proof && encode_proof(kSecret, proof->claim, nonce, proof->nonce) != bytes) {
    finding("a proof that is not as it is written");
  }
  return proof.has_value();
}

bool take_meeting(std::string_view bytes) {
  return accepts([&] {
    const Meeting meeting = parse_meeting(bytes, "fuzz");
    const Meeting again = parse_meeting(format_meeting(meeting), "fuzz");
    if (to_string(again.endpoint) != to_string(meeting.endpoint)) finding("a meeting changes");
  });
}

}  // namespace

bool rank_wire(Bytes input) {
  Decisions decisions(input);
  const std::size_t what = decisions.below(5);
  const std::string_view bytes = text_of(decisions.rest());
  switch (what) {
    case 0:
      return take_frames(bytes);
    case 1:
      return take_proof(bytes);
    case 2:
      return decode_greeting(bytes).has_value();
    case 3:
      return decode_answer(kSecret, {}, std::string(kNonceBytes, 'n'), bytes) == RankAnswer::proven;
    default:
      return take_meeting(bytes);
  }
}

}  // namespace feedrate::fuzz
