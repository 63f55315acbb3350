// SPDX-License-Identifier: Apache-2.0
#include "core/host/folder_lock.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/golden.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

TEST(FolderLock, refuses_another_holder) {
  const std::filesystem::path folder = fresh_folder();
  const FolderLock held(folder);
  EXPECT_EQ(
      testing::message_of<ConfigError>([&] { FolderLock(folder, std::chrono::milliseconds(0)); }),
      folder.string() +
          ": another feedrate process is writing to this folder; wait for it to end, or choose "
          "another folder with --out");
}

TEST(FolderLock, can_be_acquired_again_after_its_release) {
  const std::filesystem::path folder = fresh_folder();
  { const FolderLock first(folder); }
  EXPECT_NO_THROW(FolderLock{folder});
}

TEST(FolderLock, needs_a_folder) { EXPECT_THROW(FolderLock{fresh_folder() / "none"}, SystemError); }

}  // namespace
}  // namespace feedrate
