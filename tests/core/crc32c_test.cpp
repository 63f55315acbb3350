// SPDX-License-Identifier: Apache-2.0
#include "core/crc32c.h"

#include <span>
#include <string>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

Bytes checked_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// RFC 3720, appendix B.4.
TEST(Crc32c, has_the_values_of_its_definition) {
  std::string rising;
  for (char c = 0; c < 32; ++c) rising.push_back(c);
  EXPECT_EQ(crc32c(checked_bytes(std::string(32, '\0'))), 0x8A9136AAU);
  EXPECT_EQ(crc32c(checked_bytes(std::string(32, '\xFF'))), 0x62A8AB43U);
  EXPECT_EQ(crc32c(checked_bytes(rising)), 0x46DD794EU);
  EXPECT_EQ(crc32c(checked_bytes("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, is_the_same_by_instruction_and_by_table_at_every_length_and_alignment) {
  std::string text;
  for (int i = 0; i < 100; ++i) text.push_back(static_cast<char>(i * 37));
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; size + begin <= text.size(); ++size) {
      const Bytes part = checked_bytes(text).subspan(begin, size);
      ASSERT_EQ(crc32c(part), crc32c_by_table(part)) << begin << ' ' << size;
    }
  }
}

// The length of an empty record, as TensorFlow writes it.
TEST(Crc32c, is_masked_as_tensorflow_masks_it) {
  EXPECT_EQ(masked_crc32c(checked_bytes(std::string(8, '\0'))), 0x07980329U);
}

}  // namespace
}  // namespace feedrate
