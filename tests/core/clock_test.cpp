#include "core/clock.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

using std::chrono::milliseconds;

TEST(ManualClock, moves_only_when_somebody_sleeps) {
  ManualClock clock;
  EXPECT_EQ(clock.now(), Nanos(0));
  clock.sleep_for(milliseconds(35));
  EXPECT_EQ(clock.now(), Nanos(35'000'000));
}

TEST(ManualClock, never_goes_back) {
  ManualClock clock;
  clock.sleep_until(milliseconds(10));
  clock.sleep_until(milliseconds(5));
  EXPECT_EQ(clock.now(), Nanos(10'000'000));
}

TEST(SteadyClock, sleeps_at_least_as_long_as_asked) {
  SteadyClock clock;
  const Nanos before = clock.now();
  clock.sleep_for(milliseconds(2));
  EXPECT_GE(clock.now() - before, milliseconds(2));
}

TEST(SteadyClock, returns_at_once_from_a_deadline_in_the_past) {
  SteadyClock clock;
  clock.sleep_until(clock.now() - std::chrono::hours(1));
}

TEST(Units, seconds_round_to_the_nearest_nanosecond) {
  EXPECT_EQ(from_seconds(0.0200000004), Nanos(20'000'000));
  EXPECT_DOUBLE_EQ(to_seconds(Nanos(1'500'000'000)), 1.5);
}

}  // namespace
}  // namespace feedrate
