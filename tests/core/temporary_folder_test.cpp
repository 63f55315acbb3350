#include "core/temporary_folder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TempFolder;

TEST(TemporaryFolder, is_a_new_one_each_time_whose_path_begins_as_asked) {
  const TempFolder parent;
  const TemporaryFolder one(parent / ".draft.");
  const TemporaryFolder other(parent / ".draft.");
  EXPECT_THAT(one.path().string(), StartsWith((parent / ".draft.").string()));
  EXPECT_TRUE(fs::is_directory(one.path()));
  EXPECT_TRUE(fs::is_directory(other.path()));
  EXPECT_NE(one.path(), other.path());
}

TEST(TemporaryFolder, is_for_this_user_only) {
  const TempFolder parent;
  const TemporaryFolder folder(parent / "x-");
  EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
}

TEST(TemporaryFolder, goes_with_all_that_is_in_it) {
  const TempFolder parent;
  {
    const TemporaryFolder folder(parent / "x-");
    testing::write_file(folder.path() / "a/b/c.txt", "text");
  }
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

TEST(TemporaryFolder, may_be_gone_already) {
  const TempFolder parent;
  const TemporaryFolder folder(parent / "x-");
  fs::remove(folder.path());
}

TEST(TemporaryFolder, that_cannot_be_made_is_named_with_the_systems_reason) {
  const TempFolder parent;
  try {
    const TemporaryFolder folder(parent / "missing/x-");
    FAIL() << "there is no folder missing";
  } catch (const SystemError& error) {
    EXPECT_THAT(error.what(),
                AllOf(StartsWith((parent / "missing/x-").string()),
                      HasSubstr(": cannot create folder: No such file or directory")));
  }
}

}  // namespace
}  // namespace feedrate
