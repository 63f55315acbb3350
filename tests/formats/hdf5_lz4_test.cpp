#include "formats/hdf5/hdf5_lz4.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/support/hdf5_lz4.h"

namespace feedrate {
namespace {

using testing::hdf5_lz4_chunk;
using testing::put_big_endian;

/// What the chunk unpacks to if it is said to hold so many bytes, or "refused".
std::string unpacked(const std::string& chunk, std::size_t size) {
  std::string target(size, '?');
  const bool done =
      unpack_hdf5_lz4(std::as_bytes(std::span(chunk)), std::as_writable_bytes(std::span(target)));
  return done ? target : "refused";
}

std::string text(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>('a' + i / 40 % 26));
  return bytes;
}

std::string noise(std::size_t size) {
  RandomStream random(1);
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random.below(256)));
  return bytes;
}

/// Of one block, said to be so large, and whatever it holds.
std::string chunk_of(std::uint64_t size, std::uint64_t block, std::uint64_t packed,
                     const std::string& bytes) {
  std::string chunk;
  put_big_endian(chunk, size, 8);
  put_big_endian(chunk, block, 4);
  put_big_endian(chunk, packed, 4);
  return chunk + bytes;
}

TEST(Hdf5Lz4, unpacks_one_block_and_many) {
  for (const std::size_t block : {1U, 7U, 100U, 499U, 500U, 501U, 100'000U}) {
    EXPECT_EQ(unpacked(hdf5_lz4_chunk(text(500), block), 500), text(500)) << block;
    EXPECT_EQ(unpacked(hdf5_lz4_chunk(noise(500), block), 500), noise(500)) << block;
  }
}

TEST(Hdf5Lz4, copies_blocks_that_are_stored) {
  EXPECT_EQ(unpacked(chunk_of(5, 5, 5, "plain"), 5), "plain");
  EXPECT_EQ(unpacked(chunk_of(5, 4096, 5, "plain"), 5), "plain");
}

TEST(Hdf5Lz4, unpacks_what_was_written_down_by_hand) {
  // Token: 1 literal, a match of 4 + 15 + 0 bytes; its distance, 1; then 5 literals.
  EXPECT_EQ(unpacked(chunk_of(25, 25, 11,
                              std::string("\x1F"
                                          "a\x01\0\0"
                                          "\x50"
                                          "bcdef",
                                          11)),
                     25),
            std::string(20, 'a') + "bcdef");
}

TEST(Hdf5Lz4, leaves_what_follows_the_last_block) {
  EXPECT_EQ(unpacked(hdf5_lz4_chunk(text(500), 100) + "more", 500), text(500));
}

TEST(Hdf5Lz4, refuses_a_chunk_of_another_size) {
  const std::string chunk = hdf5_lz4_chunk(text(500), 100);
  EXPECT_EQ(unpacked(chunk, 499), "refused");
  EXPECT_EQ(unpacked(chunk, 501), "refused");
  EXPECT_EQ(unpacked(chunk_of(~std::uint64_t{0}, 5, 5, "plain"), 5), "refused");
}

TEST(Hdf5Lz4, refuses_a_chunk_that_ends_early) {
  for (const std::string& chunk :
       {hdf5_lz4_chunk(text(500), 100), hdf5_lz4_chunk(noise(500), 100)}) {
    for (std::size_t size = 0; size < chunk.size(); ++size) {
      EXPECT_EQ(unpacked(chunk.substr(0, size), 500), "refused") << size;
    }
  }
}

TEST(Hdf5Lz4, refuses_blocks_whose_sizes_cannot_be) {
  EXPECT_EQ(unpacked(chunk_of(5, 0, 5, "plain"), 5), "refused");
  EXPECT_EQ(unpacked(chunk_of(5, 5, 6, "plain"), 5), "refused");
  EXPECT_EQ(unpacked(chunk_of(5, 5, 0, "plain"), 5), "refused");
  EXPECT_EQ(unpacked(chunk_of(5, 5, 0xFFFFFFFF, "plain"), 5), "refused");
}

TEST(Hdf5Lz4, refuses_a_block_that_unpacks_to_another_size) {
  const std::string packed = hdf5_lz4_chunk(text(100), 100).substr(16);
  EXPECT_EQ(unpacked(chunk_of(100, 100, packed.size(), packed), 100), text(100));
  EXPECT_EQ(unpacked(chunk_of(99, 99, packed.size(), packed), 99), "refused");
  EXPECT_EQ(unpacked(chunk_of(101, 101, packed.size(), packed), 101), "refused");
}

// Under AddressSanitizer this shows that nothing outside is touched.
TEST(Hdf5Lz4, keeps_to_its_bytes_whatever_is_damaged) {
  const std::string sound = hdf5_lz4_chunk(text(500), 100);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    for (const int bit : {1, 16, 128, 255}) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      EXPECT_EQ(unpacked(damaged, 500).size() == 500 || unpacked(damaged, 500) == "refused", true);
    }
  }
}

}  // namespace
}  // namespace feedrate
