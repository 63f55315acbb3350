// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/rescue.h"

#include "analysis/report/load_run.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/matchers.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

TEST(Rescue, uses_the_first_writable_folder) {
  const TempFolder folder;
  const std::vector<fs::path> places{folder / "missing", folder.path()};
  const fs::path rescued = rescue_run(sample_run(), places);
  EXPECT_EQ(rescued.parent_path(), folder.path());
  EXPECT_EQ(load_run(rescued).cells.size(), sample_run().cells.size());
  EXPECT_EQ(fs::status(rescued).permissions(), fs::perms::owner_all);
  EXPECT_THAT(rescue_text(rescued), HasSubstr("feedrate sweep --resume " + rescued.string()));
}

TEST(Rescue, reports_that_no_folder_is_writable) {
  const TempFolder folder;
  const std::vector<fs::path> places{folder / "missing"};
  EXPECT_EQ(rescue_run(sample_run(), places), fs::path());
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_THAT(rescue_text({}), HasSubstr("no other folder is writable"));
}

TEST(Rescue, has_fallbacks_for_the_working_directory) { EXPECT_GE(rescue_places().size(), 2U); }

}  // namespace
}  // namespace feedrate::testing
