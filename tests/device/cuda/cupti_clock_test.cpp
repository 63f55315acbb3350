// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_clock.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "core/clock.h"

namespace feedrate::cupti {
namespace {

constexpr std::uint64_t kEpoch = 1'700'000'000'000'000'000;  // like CLOCK_REALTIME

TEST(CuptiClock, times_are_interpolated_between_two_moments) {
  const ClockPair first{.cupti = kEpoch, .host = Nanos(5000)};
  const ClockPair last{.cupti = kEpoch + 1'000'000, .host = Nanos(5000 + 2'000'000)};
  EXPECT_EQ(to_host(kEpoch, first, last), Nanos(5000));
  EXPECT_EQ(to_host(kEpoch + 250'000, first, last), Nanos(5000 + 500'000));
  EXPECT_EQ(to_host(kEpoch + 2'000'000, first, last), Nanos(5000 + 4'000'000));
  EXPECT_EQ(to_host(kEpoch - 1000, first, last), Nanos(3000));
}

TEST(CuptiClock, one_moment_gives_the_offset_of_the_clocks) {
  const ClockPair only{.cupti = kEpoch, .host = Nanos(5000)};
  EXPECT_EQ(to_host(kEpoch + 123, only, only), Nanos(5123));
}

TEST(CuptiClock, an_hour_is_exact_to_the_nanosecond) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  const ClockPair first{.cupti = kEpoch, .host = Nanos(0)};
  const ClockPair last{.cupti = kEpoch + kHour, .host = Nanos(kHour)};
  EXPECT_EQ(to_host(kEpoch + kHour - 1, first, last), Nanos(kHour - 1));
}

TEST(CuptiClock, a_damaged_time_does_not_overflow) {
  const ClockPair first{.cupti = kEpoch, .host = Nanos(5000)};
  const ClockPair last{.cupti = kEpoch + 1, .host = Nanos(5000 + 1'000'000)};
  EXPECT_LT(to_host(std::numeric_limits<std::uint64_t>::max(), first, last), Nanos::max());
  EXPECT_GT(to_host(1, first, last), Nanos::min());
}

TEST(CuptiClock, a_moment_is_taken_between_two_readings_of_the_host_clock) {
  Api api;
  EXPECT_FALSE(take_clock_pair(api));
  api.get_timestamp = [](std::uint64_t* time) {
    *time = 42;
    return kSuccess;
  };
  const SteadyClock clock;
  const Nanos before = clock.now();
  const auto pair = take_clock_pair(api);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->cupti, 42U);
  EXPECT_GE(pair->host, before);
  EXPECT_LE(pair->host, clock.now());
  api.get_timestamp = [](std::uint64_t*) { return 15; };
  EXPECT_FALSE(take_clock_pair(api));
}

}  // namespace
}  // namespace feedrate::cupti
