#include "formats/inflate.h"

#include <gtest/gtest.h>

#include "tests/formats/zlib_stream.h"

namespace feedrate {
namespace {

using testing::zlib_stream;

Bytes compressed_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

MutableBytes all_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

TEST(Inflater, fills_the_target) {
  const Inflater inflater;
  std::string target(6, '\0');
  EXPECT_TRUE(inflater.inflate(compressed_bytes(zlib_stream("record")), all_of(target)));
  EXPECT_EQ(target, "record");
  EXPECT_TRUE(inflater.inflate(compressed_bytes(zlib_stream("sample")), all_of(target)));
  EXPECT_EQ(target, "sample");
}

TEST(Inflater, refuses_a_stream_that_does_not_fill_the_target) {
  const Inflater inflater;
  for (const std::size_t size : {0U, 5U, 7U}) {
    std::string target(size, '\0');
    EXPECT_FALSE(inflater.inflate(compressed_bytes(zlib_stream("record")), all_of(target))) << size;
  }
}

TEST(Inflater, refuses_any_truncation_and_any_changed_byte) {
  const Inflater inflater;
  const std::string sound = zlib_stream("record");
  std::string target(6, '\0');
  for (std::size_t at = 0; at < sound.size(); ++at) {
    EXPECT_FALSE(inflater.inflate(compressed_bytes(sound).first(at), all_of(target))) << at;
    std::string damaged = sound;
    damaged[at] = static_cast<char>(~damaged[at]);
    EXPECT_FALSE(inflater.inflate(compressed_bytes(damaged), all_of(target))) << at;
  }
}

TEST(Inflater, takes_a_stream_that_something_follows) {
  const Inflater inflater;
  const std::string stream = zlib_stream("record") + "!";
  std::string target(6, '\0');
  EXPECT_TRUE(inflater.inflate(compressed_bytes(stream), all_of(target)));
  EXPECT_EQ(target, "record");
}

}  // namespace
}  // namespace feedrate
