// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/course_timeline.h"
#include "tests/support/test_advice.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Advice, on_the_first_course_run_equals_the_plugins) {
  const Timeline timeline = course_timeline_before();
  EXPECT_THAT(advised_rules(timeline),
              ElementsAre(AdviceRule::kDataLoading, AdviceRule::kLowUtilization));
  const Advice loading = advice_on(AdviceRule::kDataLoading, timeline).value();
  EXPECT_EQ(loading.evidence, "DataLoader 94.2 % of the step (limit 5 %)");
  EXPECT_THAT(loading.text, HasSubstr("set num_workers"));
  const Advice utilization = advice_on(AdviceRule::kLowUtilization, timeline).value();
  EXPECT_EQ(utilization.evidence, "a kernel runs: GPU 0 4.9 % of the time (limit 50 %)");
  EXPECT_THAT(utilization.text, HasSubstr("larger batches"));
}

// The plugin gives no advice; feedrate detects copies without a concurrent kernel.
TEST(Advice, on_the_second_course_run_is_only_feedrates) {
  const Timeline timeline = course_timeline_after();
  EXPECT_THAT(advised_rules(timeline), ElementsAre(AdviceRule::kCopyOverlap));
  EXPECT_EQ(advice_on(AdviceRule::kCopyOverlap, timeline).value().evidence,
            "GPU 0: copies without a kernel 6.5 % of the step (limit 5 %); 0.0 % of the copy time "
            "overlapped by kernels");
}

TEST(Advice, adds_rules_that_need_facts) {
  RunFacts facts;
  facts.num_workers = 1;
  facts.prefetch_factor = 1;
  EXPECT_THAT(
      advised_rules(course_timeline_before(), facts),
      ElementsAre(AdviceRule::kDataLoading, AdviceRule::kLowUtilization, AdviceRule::kPrefetch));
}

TEST(Advice, on_an_empty_timeline_is_none) { EXPECT_THAT(advised_rules(Timeline{}), IsEmpty()); }

}  // namespace
}  // namespace feedrate
