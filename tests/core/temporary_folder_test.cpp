// SPDX-License-Identifier: Apache-2.0
#include "core/temporary_folder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.h"
#include "core/owner_mark.h"
#include "tests/support/forked_test.h"
#include "tests/support/message_of.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ScopedVariable;
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

// Returns the folder of a process that ended without cleanup.
std::string leave_one(const fs::path& prefix) {
  return testing::run_forked([&] {
    const auto* left = new TemporaryFolder(prefix);  // the destructor never runs
    testing::write_file(left->path() / "data", "text");
    return left->path().string();
  });
}

TEST(TemporaryFolder, of_a_killed_process_is_removed_by_the_next_one) {
  const TempFolder parent;
  const fs::path left = leave_one(parent / "x-");
  const fs::path other_kind = leave_one(parent / "y-");
  ASSERT_TRUE(fs::is_directory(left));
  const TemporaryFolder folder(parent / "x-");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other_kind));
}

TEST(TemporaryFolder, that_is_in_use_stays) {
  const TempFolder parent;
  const TemporaryFolder in_use(parent / "x-");
  EXPECT_THAT(leave_one(parent / "x-"), StartsWith(parent.path().string()));
  EXPECT_TRUE(fs::exists(in_use.path()));
}

TEST(TemporaryFolder, of_another_machine_stays) {
  const TempFolder parent;
  const fs::path left = leave_one(parent / "x-");
  std::string name = left.filename().string();
  name[name.find_last_of('-') - 1] ^= 1;  // another boot
  fs::rename(left, parent / name);
  const TemporaryFolder folder(parent / "x-");
  EXPECT_TRUE(fs::exists(parent / name));
}

TEST(TemporaryFolder, whose_process_id_is_used_again_goes) {
  const TempFolder parent;
  const std::string own = owner_mark();
  const std::size_t first = own.find('_');
  const std::size_t second = own.find('_', first + 1);
  const fs::path earlier =
      parent / ("x-" + own.substr(0, first) + "_1" + own.substr(second) + "-abcdef");
  fs::create_directory(earlier);
  const TemporaryFolder folder(parent / "x-");
  EXPECT_FALSE(fs::exists(earlier));
}

TEST(TemporaryFolder, may_be_gone_already) {
  const TempFolder parent;
  const TemporaryFolder folder(parent / "x-");
  fs::remove(folder.path());
}

TEST(TemporaryFolder, that_cannot_be_made_is_named_with_the_systems_reason) {
  const TempFolder parent;
  EXPECT_THAT(testing::message_of<SystemError>([&] { TemporaryFolder(parent / "missing/x-"); }),
              AllOf(StartsWith((parent / "missing/x-").string()),
                    HasSubstr(": cannot create folder: No such file or directory")));
}

TEST(TemporaryFolder, is_removed_with_a_single_free_descriptor) {
  const TempFolder parent;
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  {
    const TemporaryFolder folder(parent / "x-");
    testing::write_file(folder.path() / "a/b/c/d", "");
    const int first = ::dup(STDERR_FILENO);
    ::close(first);
    const rlimit one{static_cast<rlim_t>(first) + 1, usual.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &one);
  }
  ::setrlimit(RLIMIT_NOFILE, &usual);
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

TEST(TemporaryRoot, is_TMPDIR) {
  const TempFolder parent;
  const ScopedVariable variable("TMPDIR", parent.path());
  EXPECT_EQ(temporary_root(), parent.path());
}

TEST(TemporaryRoot, is_another_where_TMPDIR_cannot_be_used) {
  const TempFolder parent;
  testing::write_file(parent / "file", "");
  fs::create_directory(parent / "a:b");
  const fs::path deep = parent / std::string(80, 'd');
  fs::create_directory(deep);
  for (const fs::path& unusable :
       {fs::path(), parent / "none", parent / "file", parent / "a:b", deep}) {
    const ScopedVariable variable("TMPDIR", unusable);
    EXPECT_EQ(temporary_root(), "/tmp") << unusable;
  }
}

TEST(TemporaryRoot, is_absolute) {
  const ScopedVariable variable("TMPDIR", ".");
  EXPECT_TRUE(temporary_root().is_absolute());
}

}  // namespace
}  // namespace feedrate
