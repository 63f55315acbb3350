// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(IsUtf8, takes_characters_of_every_length) {
  for (const char* const text : {"", "plain", "\u00e4", "\u20ac", "\U0001F600", "\ud7ff\ue000"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(IsUtf8, refuses_what_is_none) {
  for (const char* const text :
       {"\xff", "\x80", "\xc0\x80", "\xc3", "\xe2\x82", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "caf\xe9"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace feedrate
