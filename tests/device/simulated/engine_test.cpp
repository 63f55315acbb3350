// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/engine.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

BusySpan engine_span(int start, int end) { return {Nanos(start), Nanos(end)}; }

TEST(Engine, starts_when_ready_if_free) {
  Engine engine;
  EXPECT_EQ(engine.reserve(Nanos(5), Nanos(10)), engine_span(5, 15));
}

TEST(Engine, runs_one_operation_at_a_time) {
  Engine engine;
  engine.reserve(Nanos(0), Nanos(10));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(10)), engine_span(10, 20));
  EXPECT_EQ(engine.reserve(Nanos(5), Nanos(1)), engine_span(20, 21));
}

TEST(Engine, fills_a_gap_that_is_long_enough) {
  Engine engine;
  engine.reserve(Nanos(0), Nanos(10));
  engine.reserve(Nanos(20), Nanos(10));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(10)), engine_span(10, 20));
}

TEST(Engine, skips_a_gap_that_is_too_short) {
  Engine engine;
  engine.reserve(Nanos(0), Nanos(10));
  engine.reserve(Nanos(20), Nanos(10));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(11)), engine_span(30, 41));
}

TEST(Engine, keeps_its_reservations_in_order_after_filling_a_gap) {
  Engine engine;
  engine.reserve(Nanos(10), Nanos(5));
  engine.reserve(Nanos(0), Nanos(5));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(5)), engine_span(5, 10));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(1)), engine_span(15, 16));
}

TEST(Engine, an_operation_without_duration_reserves_nothing) {
  Engine engine;
  engine.reserve(Nanos(0), Nanos(0));
  EXPECT_EQ(engine.reserve(Nanos(0), Nanos(5)), engine_span(0, 5));
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
