// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile/rules.h"
#include "tests/support/test_advice.h"
#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

/// A step of a tenth of a second.
Timeline loading(std::int64_t percent) {
  TestTimeline built(micros(0, 100'000));
  built.host(Role::kDataLoader, "next", micros(0, 1000 * percent));
  return built.finish();
}

TEST(LoaderRules, prefetch_one_batch_only_where_the_step_waits) {
  RunFacts facts;
  facts.num_workers = 4;
  facts.prefetch_factor = 1;
  EXPECT_EQ(advice_on(AdviceRule::kPrefetch, loading(30), facts).value().evidence,
            "prefetch_factor 1 with num_workers 4; DataLoader 30.0 % of the step (limit 5 %)");
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(5), facts));
  facts.prefetch_factor = 2;
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(30), facts));
  facts.prefetch_factor.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kPrefetch, loading(30), facts));
}

TEST(LoaderRules, start_up_above_five_percent_of_an_epoch) {
  RunFacts facts;
  facts.num_workers = 4;
  facts.batches_per_epoch = 100;
  facts.first_batch_seconds = 2.5;
  const Advice advice = advice_on(AdviceRule::kStartUp, loading(0), facts).value();
  EXPECT_EQ(advice.evidence,
            "first batch after 2.5 s, 20.0 % of an epoch of 100 batches (limit 5 %)");
  EXPECT_THAT(advice.text, HasSubstr("Set persistent_workers"));
  facts.first_batch_seconds = 0.5;
  EXPECT_FALSE(advice_on(AdviceRule::kStartUp, loading(0), facts));
  facts.first_batch_seconds.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kStartUp, loading(0), facts));
}

TEST(LoaderRules, start_up_does_not_advise_settings_that_are_set_or_idle) {
  RunFacts facts;
  facts.batches_per_epoch = 1;
  facts.first_batch_seconds = 2.5;
  facts.num_workers = 4;
  facts.persistent_workers = true;
  EXPECT_THAT(advice_on(AdviceRule::kStartUp, loading(0), facts).value().text,
              HasSubstr("despite persistent workers"));
  facts.num_workers = 0;
  EXPECT_THAT(advice_on(AdviceRule::kStartUp, loading(0), facts).value().text,
              HasSubstr("opening the dataset"));
}

TEST(LoaderRules, host_memory_above_nine_tenths) {
  const std::uint64_t gib = std::uint64_t{1} << 30U;
  RunFacts facts;
  facts.host_memory_limit = 64 * gib;
  facts.host_memory_peak = 58 * gib;
  EXPECT_EQ(advice_on(AdviceRule::kHostMemory, loading(0), facts).value().evidence,
            "58.00 of 64.00 GiB at the peak, 90.6 % (limit 90 %)");
  facts.host_memory_peak = 57 * gib;
  EXPECT_FALSE(advice_on(AdviceRule::kHostMemory, loading(0), facts));
  facts.host_memory_limit.reset();
  EXPECT_FALSE(advice_on(AdviceRule::kHostMemory, loading(0), facts));
}

}  // namespace
}  // namespace feedrate
