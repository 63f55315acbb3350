// SPDX-License-Identifier: Apache-2.0
#include "training/end_limit.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"
#include "training/script.h"

namespace feedrate::testing {
namespace {

// Acts like a feedrate that never ends.
[[noreturn]] void hang_with(const char* script, const std::filesystem::path& folder,
                            bool is_success) {
  const InheritedSignals inherited;
  const ChildProcess child(script_program({"sh", "-c", script}, {}, inherited));
  EndLimit limit(child.pid(), Nanos(0), folder);
  if (is_success) limit.expect_success();
  while (true) ::pause();
}

TEST(EndLimit, ends_as_the_script_did) {
  const TempFolder folder;
  EXPECT_EXIT(hang_with("exit 7", folder / "a", false), ::testing::ExitedWithCode(7),
              "the script has ended");
  EXPECT_EXIT(hang_with("kill -TERM $$", folder / "a", false), ::testing::KilledBySignal(SIGTERM),
              "");
  EXPECT_EXIT(hang_with("exit 7", folder / "a", true), ::testing::ExitedWithCode(0), "");
}

TEST(EndLimit, removes_the_folder) {
  const TempFolder folder;
  write_file(folder / "a/b", "");
  EXPECT_EXIT(hang_with("exit 7", folder / "a", false), ::testing::ExitedWithCode(7), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(EndLimit, does_nothing_if_feedrate_ends_in_time) {
  const InheritedSignals inherited;
  const ChildProcess child(script_program({"true"}, {}, inherited));
  while (!ended_status(child.pid())) {
  }
  const EndLimit limit(child.pid(), std::chrono::hours(1), "none");
}

}  // namespace
}  // namespace feedrate::testing
