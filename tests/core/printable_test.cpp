// SPDX-License-Identifier: Apache-2.0
#include "core/printable.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(Printable, leaves_text_as_it_is) {
  for (const char* const text : {"", "a\tb", "ä € 😀 16×12", "x = '\\n'"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, escapes_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("a\033[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("a\u009b2J\x7f"), "a\\x9b2J\\x7f");
  EXPECT_EQ(printable("a\u202etxt.exe\u2066\u200f\u061c\u2028"),
            "a\\u202etxt.exe\\u2066\\u200f\\u061c\\u2028");
}

TEST(Printable, escapes_bytes_that_are_no_text) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
}

}  // namespace
}  // namespace feedrate
