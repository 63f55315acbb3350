// SPDX-License-Identifier: Apache-2.0
#include "cli/run_box.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string box_of(const MadeScript& script) {
  std::ostringstream out;
  print_run_box(out, script.watch, nullptr);
  return out.str();
}

TEST(RunBox, has_the_call_the_times_and_the_verdict) {
  MadeScript script(made_loader());
  script.steps(30, 30.0, 10.0);
  EXPECT_THAT(box_of(script),
              AllOf(HasSubstr("29 steps of train.py:42 DataLoader(ImageFolder, batch_size=8"),
                    HasSubstr("loading 30.0 ms (75 %), training 10.0 ms"), HasSubstr("INPUT-BOUND"),
                    Not(HasSubstr("copies")), Not(HasSubstr("between epochs"))));
}

TEST(RunBox, tells_the_time_between_epochs) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  script.end();
  script.pass(500.0);
  script.begin();
  script.steps(20, 10.0, 10.0);
  EXPECT_THAT(box_of(script), HasSubstr("between epochs 500 ms"));
}

TEST(RunBox, tells_how_batches_are_copied) {
  MadeScript script(made_loader());
  script.steps(20, 10.0, 10.0);
  script.watch.add(kConnection,
                   ScriptCopies{kLoader, {{"/home/me/train.py:50", true, false, 20, 1'000}}});
  EXPECT_THAT(box_of(script),
              HasSubstr("copies at train.py:50: 20 from pinned memory, non_blocking=False"));
}

TEST(RunBox, of_a_script_without_steps_says_what_is_needed) {
  std::ostringstream out;
  print_run_box(out, Watch(), nullptr);
  EXPECT_THAT(out.str(), HasSubstr("must iterate one in a Python with torch"));
}

}  // namespace
}  // namespace feedrate::testing
