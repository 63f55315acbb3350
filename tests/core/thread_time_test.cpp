// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gtest/gtest.h>

#include "core/clock.h"

namespace feedrate {
namespace {

TEST(ThreadCpuTime, is_not_that_of_other_threads) {
  const double before = to_seconds(thread_cpu_time());
  double others = 0.0;
  std::jthread other([&] {
    while (others < 0.05) others = to_seconds(thread_cpu_time());
  });
  other.join();
  EXPECT_LT(to_seconds(thread_cpu_time()) - before, others);
}

}  // namespace
}  // namespace feedrate
