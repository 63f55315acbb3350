// SPDX-License-Identifier: Apache-2.0
#include "core/host/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

TEST(ReadText, knows_nothing_of_a_missing_file) {
  EXPECT_EQ(read_text("/nowhere/file"), std::nullopt);
  EXPECT_EQ(read_trimmed("/nowhere/file"), "");
}

TEST(ReadText, of_a_folder_is_nothing_or_empty) { EXPECT_EQ(read_trimmed("/proc"), ""); }

TEST(ReadText, reads_files_whose_size_is_reported_as_zero) {
  EXPECT_NE(read_text("/proc/self/status").value_or("").find("VmRSS"), std::string::npos);
}

TEST(SplitWords, drops_white_space_of_any_length) {
  EXPECT_THAT(split_words("  a\t b \n"), ElementsAre("a", "b"));
  EXPECT_THAT(split_words(""), ElementsAre());
}

TEST(FindField, wants_the_whole_name) {
  const std::string text = "MemTotalX: 1\nMemTotal:   16 kB\nempty:\n";
  EXPECT_EQ(find_field(text, "MemTotal"), "16 kB");
  EXPECT_EQ(find_field(text, "empty"), "");
  EXPECT_EQ(find_field(text, "Mem"), "");
  EXPECT_EQ(find_kilobytes(text, "MemTotal"), 16U * 1024U);
  EXPECT_EQ(find_kilobytes(text, "empty"), std::nullopt);
}

TEST(ParseUnsigned, takes_nothing_but_digits) {
  EXPECT_EQ(parse_unsigned("42"), 42U);
  for (const char* const text : {"", "max", "-1", "4 ", "99999999999999999999"}) {
    EXPECT_EQ(parse_unsigned(text), std::nullopt) << text;
  }
}

TEST(StatFields, begin_after_a_name_with_any_characters) {
  const auto fields = stat_fields("12 (a) (b c) d) Z 7 12 3\n");
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[0], "Z");
  EXPECT_EQ(fields[2], "12");
  EXPECT_TRUE(stat_fields("no name").empty());
}

}  // namespace
}  // namespace feedrate
