// SPDX-License-Identifier: Apache-2.0
#include "cli/printable_stream.h"

#include <ostream>
#include <sstream>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

std::string printed(std::string_view text) {
  std::stringbuf terminal;
  PrintableBuffer buffer(terminal);
  std::ostream out(&buffer);
  out << text << std::flush;
  return terminal.str();
}

TEST(PrintableBuffer, passes_text_and_progress_lines_on) {
  for (const char* const text :
       {"a\tb\n", "\r[1/2] format=tar \u2026\033[K", "\u00e4 \u20ac 16\u00d712 \U0001f600"}) {
    EXPECT_EQ(printed(text), text);
  }
}

TEST(PrintableBuffer, replaces_control_sequences) {
  EXPECT_EQ(printed("a\033[2Jb"), "a?[2Jb");
  EXPECT_EQ(printed("a\033]0;title\007b"), "a?]0;title?b");
  EXPECT_EQ(printed("a\u009b2Jb"), "a?2Jb");
  EXPECT_EQ(printed("\033\033[K\b"), "?\033[K?");
  EXPECT_EQ(printed("\033[\u009bK"), "?[?K");
}

TEST(PrintableBuffer, replaces_characters_that_change_the_direction_of_text) {
  EXPECT_EQ(printed("a\u202etxt.exe\u2066b\u200f"), "a?txt.exe?b?");
}

TEST(PrintableBuffer, passes_bytes_that_are_no_text_on) {
  EXPECT_EQ(printed("\xe2\x80"
                    "a\xc3\xff\xf0\x9f\x98\x80"),
            "\xe2\x80"
            "a\xc3\xff\xf0\x9f\x98\x80");
}

}  // namespace
}  // namespace feedrate
