// SPDX-License-Identifier: Apache-2.0
#include "core/shared_count.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace feedrate {
namespace {

TEST(SharedCount, has_what_forked_processes_add) {
  SharedCount count;
  EXPECT_EQ(count.value(), 0U);
  count.add();
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      count.add();
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(count.value(), 3U);
}

}  // namespace
}  // namespace feedrate
