// SPDX-License-Identifier: Apache-2.0
#include "core/text_table.h"

#include <sstream>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TextTable small_table() {
  TextTable table;
  table.add_column("format", Align::kLeft);
  table.add_column("time", Align::kRight);
  table.add_row({"tar", "312 µs"});
  table.add_row({"folder", "1.24 s"});
  return table;
}

std::string printed(const TextTable& table, TableStyle style) {
  std::ostringstream out;
  table.print(out, style);
  return out.str();
}

TEST(TextTable, aligns_columns_on_a_terminal) {
  EXPECT_EQ(printed(small_table(), TableStyle::kTerminal),
            "format    time\n"
            "------  ------\n"
            "tar     312 µs\n"
            "folder  1.24 s\n");
}

TEST(TextTable, says_the_alignment_in_markdown) {
  EXPECT_EQ(printed(small_table(), TableStyle::kMarkdown),
            "| format |   time |\n"
            "|:-------|-------:|\n"
            "| tar    | 312 µs |\n"
            "| folder | 1.24 s |\n");
}

TEST(TextTable, takes_out_what_matters_least_until_it_fits) {
  const std::vector<std::string_view> unimportant{"size", "time", "format"};
  TextTable table = small_table();
  EXPECT_TRUE(table.fit(14, unimportant).empty());
  EXPECT_TRUE(table.fit(0, unimportant).empty()) << "any width";
  EXPECT_EQ(table.fit(13, unimportant), std::vector<std::string>{"time"});
  EXPECT_EQ(printed(table, TableStyle::kTerminal), "format\n------\ntar\nfolder\n");
}

TEST(TextTable, wraps_the_widest_text_until_it_fits) {
  TextTable table;
  table.add_column("what", Align::kLeft);
  table.add_column("rate", Align::kRight);
  table.add_column("is the limit of", Align::kLeft);
  table.add_row({"read", "1 GB/s", "a loader that reads each file in µs once"});
  table.add_row({"copy", "2 GB/s", "pinned memory"});
  table.wrap(0);
  table.wrap(54);
  const std::string as_it_was = printed(table, TableStyle::kTerminal);
  EXPECT_EQ(std::count(as_it_was.begin(), as_it_was.end(), '\n'), 4) << "fits";
  table.wrap(35);
  EXPECT_EQ(printed(table, TableStyle::kTerminal),
            "what    rate  is the limit of\n"
            "----  ------  --------------------\n"
            "read  1 GB/s  a loader that reads\n"
            "              each file in µs once\n"
            "copy  2 GB/s  pinned memory\n");
}

TEST(OneLine, takes_out_what_would_break_a_row) {
  EXPECT_EQ(one_line("a|b\n\x1b[31mc", TableStyle::kMarkdown), "a\\|b  [31mc");
  EXPECT_EQ(one_line("a|b", TableStyle::kTerminal), "a|b");
  EXPECT_EQ(one_line("a\u202eb\u009bc\xff €", TableStyle::kTerminal), "a b c\xff €");
}

TEST(DisplayWidth, counts_code_points) {
  EXPECT_EQ(display_width("312 µs"), 6U);
  EXPECT_EQ(display_width("–"), 1U);
}

}  // namespace
}  // namespace feedrate
