// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/child_clock.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

class TorchChildClock : public ::testing::Test {
 protected:
  ManualClock own_;
  ChildClock clock_{own_};
};

TEST_F(TorchChildClock, a_message_on_its_way_takes_none_of_the_childs_time) {
  own_.sleep_until(Nanos(130));
  clock_.resume_at(Nanos(100));
  EXPECT_EQ(clock_.now(), Nanos(100));
}

TEST_F(TorchChildClock, a_sleep_moves_the_childs_time_alone) {
  own_.sleep_until(Nanos(130));
  clock_.resume_at(Nanos(100));
  clock_.sleep_until(Nanos(500));
  EXPECT_EQ(clock_.now(), Nanos(500));
  EXPECT_EQ(own_.now(), Nanos(130));
}

TEST_F(TorchChildClock, a_sleep_until_a_time_that_is_over_moves_nothing) {
  clock_.resume_at(Nanos(100));
  clock_.sleep_until(Nanos(40));
  EXPECT_EQ(clock_.now(), Nanos(100));
}

TEST_F(TorchChildClock, work_takes_our_time_and_the_childs) {
  clock_.resume_at(Nanos(100));
  clock_.sleep_until(Nanos(500));
  clock_.spin_until(Nanos(530));
  clock_.work_for(Nanos(20));
  EXPECT_EQ(clock_.now(), Nanos(550));
  EXPECT_EQ(own_.now(), Nanos(50));
}

TEST_F(TorchChildClock, follows_a_child_that_sleeps_too_long) {
  clock_.resume_at(Nanos(100));
  clock_.sleep_until(Nanos(500));
  clock_.resume_at(Nanos(560));
  EXPECT_EQ(clock_.now(), Nanos(560));
}

TEST_F(TorchChildClock, does_not_go_back_before_the_end_of_a_sleep) {
  clock_.resume_at(Nanos(100));
  clock_.sleep_until(Nanos(500));
  clock_.resume_at(Nanos(200));
  EXPECT_EQ(clock_.now(), Nanos(500));
}

}  // namespace
}  // namespace feedrate
