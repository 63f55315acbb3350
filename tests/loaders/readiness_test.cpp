#include "loaders/readiness.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using std::chrono::seconds;

TEST(ReadinessGauge, counts_the_time_with_nothing_ready) {
  ManualClock clock;
  ReadinessGauge gauge(clock);
  gauge.restart();
  clock.sleep_for(seconds(1));  // empty
  gauge.add();
  clock.sleep_for(seconds(2));  // one ready
  gauge.add();
  gauge.remove();
  clock.sleep_for(seconds(4));  // still one
  gauge.remove();
  clock.sleep_for(seconds(3));  // empty
  EXPECT_DOUBLE_EQ(gauge.ratio(), 0.6);
}

TEST(ReadinessGauge, restart_forgets_what_was_ready) {
  ManualClock clock;
  ReadinessGauge gauge(clock);
  gauge.restart();
  gauge.add();
  gauge.restart();
  clock.sleep_for(seconds(1));
  EXPECT_DOUBLE_EQ(gauge.ratio(), 0.0);
}

}  // namespace
}  // namespace feedrate
