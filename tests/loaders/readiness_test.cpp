// SPDX-License-Identifier: Apache-2.0
#include "loaders/readiness.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using std::chrono::seconds;

class ReadinessGaugeTest : public ::testing::Test {
 protected:
  ManualClock clock_;
  ReadinessGauge gauge_{clock_};
};

TEST_F(ReadinessGaugeTest, counts_the_time_in_which_the_due_batch_was_missing) {
  gauge_.start_window();
  clock_.sleep_for(seconds(3));
  gauge_.take(Nanos(seconds(1)));  // missing for 1 s, ready for 2 s
  clock_.sleep_for(seconds(2));
  gauge_.take(Nanos(seconds(5)));  // missing for 2 s
  EXPECT_DOUBLE_EQ(gauge_.ratio(), 0.4);
}

TEST_F(ReadinessGaugeTest, a_batch_that_came_early_was_always_ready) {
  gauge_.start_window();
  clock_.sleep_for(seconds(4));
  gauge_.take(Nanos(seconds(4)));
  clock_.sleep_for(seconds(4));
  gauge_.take(Nanos(seconds(1)));  // came before the one in front of it
  EXPECT_DOUBLE_EQ(gauge_.ratio(), 0.5);
}

TEST_F(ReadinessGaugeTest, a_new_window_forgets_the_old_one) {
  gauge_.start_window();
  clock_.sleep_for(seconds(4));
  gauge_.take(Nanos(seconds(4)));
  gauge_.start_window();
  clock_.sleep_for(seconds(1));
  gauge_.take(Nanos(seconds(3)));
  EXPECT_DOUBLE_EQ(gauge_.ratio(), 1.0);
}

TEST_F(ReadinessGaugeTest, is_zero_before_anything_was_taken) {
  gauge_.start_window();
  EXPECT_DOUBLE_EQ(gauge_.ratio(), 0.0);
}

}  // namespace
}  // namespace feedrate
