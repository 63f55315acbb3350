// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/engine.h"

#include <vector>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

BusySpan engine_span(int start, int end) { return {Nanos(start), Nanos(end)}; }

struct Reservation {
  int ready, duration, start;
};

TEST(Engine, reserves_the_first_gap_that_is_long_enough) {
  for (const std::vector<Reservation>& reservations : std::vector<std::vector<Reservation>>{
           {{5, 10, 5}},                                     // It is free.
           {{0, 10, 0}, {0, 10, 10}, {5, 1, 20}},            // One operation at a time.
           {{0, 10, 0}, {20, 10, 20}, {0, 10, 10}},          // The gap is just long enough.
           {{0, 10, 0}, {20, 10, 20}, {0, 11, 30}},          // The gap is too short.
           {{10, 5, 10}, {0, 5, 0}, {0, 5, 5}, {0, 1, 15}},  // In order after filling a gap.
           {{0, 0, 0}, {0, 5, 0}}}) {                        // Nothing of no duration.
    Engine engine;
    for (const auto& [ready, duration, start] : reservations) {
      EXPECT_EQ(engine.reserve(Nanos(ready), Nanos(duration)),
                engine_span(start, start + duration));
    }
  }
}

TEST(Engine, forgets_only_past_reservations) {
  Engine engine;
  engine.reserve(Nanos(0), Nanos(10));
  engine.reserve(Nanos(10), Nanos(10));
  engine.forget_before(Nanos(10));
  EXPECT_EQ(engine.reserve(Nanos(10), Nanos(5)), engine_span(20, 25));
}

}  // namespace
}  // namespace feedrate
