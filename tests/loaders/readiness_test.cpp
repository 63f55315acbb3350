#include "loaders/readiness.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using std::chrono::seconds;

TEST(ReadinessGauge, counts_the_time_with_nothing_ready) {
  ManualClock clock;
  ReadinessGauge gauge(clock, true);
  gauge.start_epoch();
  clock.sleep_for(seconds(1));  // nothing
  gauge.add(0);
  clock.sleep_for(seconds(2));  // 0 is ready
  gauge.add(1);
  gauge.take(0);
  clock.sleep_for(seconds(4));  // 1 is ready
  gauge.take(1);
  clock.sleep_for(seconds(3));  // nothing
  EXPECT_DOUBLE_EQ(gauge.ratio(), 0.6);
}

TEST(ReadinessGauge, in_order_an_early_batch_is_not_ready) {
  ManualClock clock;
  ReadinessGauge gauge(clock, true);
  gauge.start_epoch();
  gauge.add(1);
  clock.sleep_for(seconds(3));
  gauge.add(0);
  clock.sleep_for(seconds(1));
  EXPECT_DOUBLE_EQ(gauge.ratio(), 0.25);
}

TEST(ReadinessGauge, as_completed_any_batch_is_ready) {
  ManualClock clock;
  ReadinessGauge gauge(clock, false);
  gauge.start_epoch();
  gauge.add(1);
  clock.sleep_for(seconds(3));
  EXPECT_DOUBLE_EQ(gauge.ratio(), 1.0);
}

TEST(ReadinessGauge, a_window_begins_with_what_is_here) {
  ManualClock clock;
  ReadinessGauge gauge(clock, true);
  gauge.start_epoch();
  clock.sleep_for(seconds(5));
  gauge.add(0);
  gauge.start_window();
  clock.sleep_for(seconds(1));
  EXPECT_DOUBLE_EQ(gauge.ratio(), 1.0);
}

TEST(ReadinessGauge, an_epoch_begins_with_nothing) {
  ManualClock clock;
  ReadinessGauge gauge(clock, true);
  gauge.start_epoch();
  gauge.add(0);
  gauge.start_epoch();
  clock.sleep_for(seconds(1));
  EXPECT_DOUBLE_EQ(gauge.ratio(), 0.0);
}

}  // namespace
}  // namespace feedrate
