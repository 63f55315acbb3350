#include "core/thread_time.h"

#include <thread>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(ThreadCpuSeconds, are_not_those_of_other_threads) {
  const double before = thread_cpu_seconds();
  double others = 0.0;
  std::jthread other([&] {
    while (others < 0.05) others = thread_cpu_seconds();
  });
  other.join();
  EXPECT_LT(thread_cpu_seconds() - before, others);
}

}  // namespace
}  // namespace feedrate
