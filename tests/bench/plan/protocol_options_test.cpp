// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/protocol_options.h"

#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"

namespace feedrate {
namespace {

TEST(ProtocolOptions, discards_bursts_and_what_was_ready_before) {
  EXPECT_EQ((ProtocolOptions{.warmup = 5}.discarded_steps()), 5U);
  EXPECT_EQ((ProtocolOptions{.warmup = 5, .num_workers = 8}.discarded_steps()), 16U);
  EXPECT_EQ(
      (ProtocolOptions{.warmup = 5, .num_workers = 8, .max_outstanding = 32}.discarded_steps()),
      32U);
}

TEST(ProtocolOptions, discards_what_the_host_may_run_ahead) {
  EXPECT_EQ((ProtocolOptions{.warmup = 0}.discarded_steps()), kRunAhead + 1);
}

TEST(ProtocolOptions, keeps_whole_rounds_of_synchronisations) {
  EXPECT_EQ((ProtocolOptions{.steps = 60, .sync_every = 8}.kept_steps()), 64U);
  EXPECT_EQ((ProtocolOptions{.steps = 60, .num_workers = 6, .sync_every = 8}.kept_steps()), 72U);
  EXPECT_EQ((ProtocolOptions{.steps = 60, .sync_every = 0}.kept_steps()), 60U);
}

TEST(ProtocolOptions, keeps_what_fits_into_a_limit) {
  const ProtocolOptions options{
      .steps = 60, .sync_every = 4, .window_limit = std::chrono::seconds(5)};
  EXPECT_FALSE(options.is_window(59, std::chrono::seconds(4)));
  EXPECT_TRUE(options.is_window(60, std::chrono::seconds(4)));
  EXPECT_FALSE(options.is_window(8, std::chrono::seconds(9)));
  EXPECT_FALSE(options.is_window(11, std::chrono::seconds(9)));
  EXPECT_TRUE(options.is_window(12, std::chrono::seconds(5)));
  EXPECT_EQ((ProtocolOptions{.num_workers = 4, .max_outstanding = 8}.least_steps()), 16U);
  EXPECT_EQ((ProtocolOptions{.num_workers = 4, .max_outstanding = 4}.least_steps()), 12U);
  EXPECT_EQ((ProtocolOptions{.steps = 5}.least_steps()), 5U);
  EXPECT_FALSE((ProtocolOptions{.steps = 60}.is_window(59, std::chrono::hours(9))));
}

TEST(ProtocolOptions, keeps_whole_rounds_of_workers) {
  EXPECT_EQ((ProtocolOptions{.steps = 60, .num_workers = 0}.kept_steps()), 60U);
  EXPECT_EQ((ProtocolOptions{.steps = 60, .num_workers = 8}.kept_steps()), 64U);
}

TEST(ProtocolOptions, keeps_more_than_what_may_be_under_way) {
  EXPECT_EQ((ProtocolOptions{.steps = 60, .num_workers = 6, .max_outstanding = 24}.kept_steps()),
            60U);
  EXPECT_EQ((ProtocolOptions{.steps = 60, .num_workers = 8, .max_outstanding = 64}.kept_steps()),
            128U);
}

}  // namespace
}  // namespace feedrate
