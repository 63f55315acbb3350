// SPDX-License-Identifier: Apache-2.0
#include "core/host/deadline.h"

#include <latch>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(Deadline, triggers_when_the_time_is_over) {
  std::latch triggered(1);
  const Deadline deadline(std::chrono::milliseconds(1), {});
  const std::stop_callback callback(deadline.token(), [&] { triggered.count_down(); });
  triggered.wait();
  EXPECT_TRUE(deadline.token().stop_requested());
}

TEST(Deadline, passes_an_outer_stop_on) {
  std::stop_source outer;
  const Deadline deadline(std::chrono::hours(1), outer.get_token());
  EXPECT_FALSE(deadline.token().stop_requested());
  outer.request_stop();
  EXPECT_TRUE(deadline.token().stop_requested());
}

TEST(Deadline, does_not_trigger_when_it_ends_before_its_time) {
  std::stop_token token;
  {
    const Deadline deadline(std::chrono::hours(1), {});
    token = deadline.token();
  }
  EXPECT_FALSE(token.stop_requested());
}

}  // namespace
}  // namespace feedrate
