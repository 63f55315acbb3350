// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/profile_text.h"

#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

constexpr const char* kText =
    "simulated device: sim:a100-pcie4\n"
    "\n== cell 0: copy_stream=same\n\nExecution Summary\nKernel  1\n"
    "\n== cell 12: copy_stream=side\n\nKernel  2\n";

TEST(ProfileText, is_split_at_the_cells_headings) {
  EXPECT_THAT(split_profiles(kText), ElementsAre(Pair(0, "\nExecution Summary\nKernel  1\n\n"),
                                                 Pair(12, "\nKernel  2\n")));
}

TEST(ProfileText, what_only_looks_like_a_heading_is_text) {
  EXPECT_THAT(
      split_profiles("== cell 1: a\n== cell x: b\n== cell 2\n== cell 99999999999999999999: c\n"),
      ElementsAre(Pair(1, "== cell x: b\n== cell 2\n== cell 99999999999999999999: c\n")));
}

TEST(ProfileText, empty_text_has_no_profiles) { EXPECT_THAT(split_profiles(""), IsEmpty()); }

TEST(ProfileText, is_read_from_the_folder_of_the_run) {
  const TempFolder folder;
  write_file(folder / "profile.txt", kText);
  write_file(folder / "run.json", "{}");
  EXPECT_EQ(load_profiles(folder.path()).size(), 2U);
  EXPECT_EQ(load_profiles(folder / "run.json").size(), 2U);
}

TEST(ProfileText, a_run_without_profiles_has_none) {
  const TempFolder folder;
  EXPECT_THAT(load_profiles(folder.path()), IsEmpty());
  EXPECT_THAT(load_profiles(folder / "cells.csv"), IsEmpty());
}

}  // namespace
}  // namespace feedrate::testing
