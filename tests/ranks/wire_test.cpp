#include "ranks/wire.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

const std::string kSecret = "a secret of a test";

TEST(Proof, is_of_who_knows_the_secret) {
  const std::string listeners = make_nonce();
  const std::string own = make_nonce();
  const RankClaim claim{.rank = 3, .size = 4, .purpose = Purpose::ring};
  const std::string bytes = encode_proof(kSecret, claim, listeners, own);
  EXPECT_EQ(bytes.size(), kProofBytes);
  const auto proof = decode_proof(kSecret, bytes, listeners);
  ASSERT_TRUE(proof);
  EXPECT_EQ(proof->claim.rank, 3U);
  EXPECT_EQ(proof->claim.size, 4U);
  EXPECT_EQ(proof->claim.purpose, Purpose::ring);
  EXPECT_EQ(proof->nonce, own);
  EXPECT_FALSE(decode_proof("another secret", bytes, listeners));
  EXPECT_FALSE(decode_proof(kSecret, bytes, make_nonce())) << "said again to another listener";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(decode_proof(kSecret, damaged, listeners)) << i;
  }
  EXPECT_FALSE(decode_proof(kSecret, bytes.substr(1), listeners));
}

TEST(RankAnswer, proves_the_listener) {
  const std::string own = make_nonce();
  const RankClaim claim{.rank = 1, .size = 2};
  const std::string bytes = encode_answer(kSecret, claim, own);
  EXPECT_EQ(decode_answer(kSecret, claim, own, bytes), RankAnswer::proven);
  EXPECT_EQ(decode_answer("another secret", claim, own, bytes), RankAnswer::wrong);
  EXPECT_EQ(decode_answer(kSecret, claim, make_nonce(), bytes), RankAnswer::wrong);
  EXPECT_EQ(decode_answer(kSecret, claim, own, encode_refusal()), RankAnswer::refused);
}

TEST(Greeting, is_told_from_another_protocols) {
  const std::string nonce = make_nonce();
  EXPECT_EQ(decode_greeting(encode_greeting(nonce)), nonce);
  EXPECT_FALSE(decode_greeting("HTTP/1.1 400 Bad Request\r\n\r\n............"));
}

TEST(FrameReader, gives_frames_however_their_bytes_come) {
  const Frame first{.kind = FrameKind::give,
                    .collective = Collective::all_gather,
                    .rank = 7,
                    .sequence = 0x01020304,
                    .payload = "text"};
  const std::string bytes = encode_frame(first) + encode_frame({.kind = FrameKind::heartbeat});
  FrameReader reader(100);
  std::vector<Frame> frames;
  for (const char byte : bytes) {
    reader.append({&byte, 1});
    while (auto frame = reader.next()) frames.push_back(std::move(*frame));
  }
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].kind, first.kind);
  EXPECT_EQ(frames[0].collective, first.collective);
  EXPECT_EQ(frames[0].rank, first.rank);
  EXPECT_EQ(frames[0].sequence, first.sequence);
  EXPECT_EQ(frames[0].payload, first.payload);
  EXPECT_EQ(frames[1].kind, FrameKind::heartbeat);
}

TEST(FrameReader, refuses_a_length_before_it_waits_for_its_bytes) {
  FrameReader reader(3);
  reader.append(encode_frame({.kind = FrameKind::give, .payload = "text"}).substr(0, 16));
  EXPECT_THROW(static_cast<void>(reader.next()), Error);
}

TEST(FrameReader, refuses_kinds_that_there_are_not) {
  for (const std::size_t at : {0U, 1U, 2U, 3U}) {
    std::string bytes = encode_frame({.kind = FrameKind::heartbeat});
    bytes[at] = '\x77';
    FrameReader reader(3);
    reader.append(bytes);
    EXPECT_THROW(static_cast<void>(reader.next()), Error) << at;
  }
}

TEST(Mac, is_the_one_of_rfc_4231) {
  std::string hex;
  for (const char byte : mac_of("Jefe", "what do ya want for nothing?")) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
    hex += two;
  }
  EXPECT_EQ(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace feedrate
