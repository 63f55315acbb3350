// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(FormatError, names_file_record_and_offset_before_the_problem) {
  const FormatError error({.file = "a.tar", .record = 17, .offset = 4096},
                          "header checksum is wrong");
  EXPECT_STREQ(error.what(), "a.tar: record 17 at byte 4096: header checksum is wrong");
}

TEST(FormatError, leaves_out_what_is_not_known) {
  EXPECT_EQ(to_string(DataLocation{.file = "a.h5"}), "a.h5");
  EXPECT_EQ(to_string(DataLocation{.file = "a.h5", .record = 3}), "a.h5: record 3");
  EXPECT_EQ(to_string(DataLocation{.file = "a.tar", .offset = 512}), "a.tar: byte 512");
}

TEST(SystemError, ends_in_the_systems_own_words) {
  EXPECT_STREQ(SystemError("x.png", "cannot open", ENOENT).what(),
               "x.png: cannot open: No such file or directory");
}

}  // namespace
}  // namespace feedrate
