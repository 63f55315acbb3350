// SPDX-License-Identifier: Apache-2.0
#include "core/host/io_counters.h"

#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

TEST(IoCounters, of_storage_and_of_read_calls_are_two) {
  const FakeRoot root;
  root.write("proc/7/io", "rchar: 999\nwchar: 5\nread_bytes: 4096\ncancelled_write_bytes: 1\n");
  EXPECT_EQ(storage_read_bytes_of(7, root.path()), 4096U);
  EXPECT_EQ(called_read_bytes_of(7, root.path()), 999U);
}

TEST(IoCounters, are_unknown_where_the_kernel_does_not_say) {
  const FakeRoot root;
  EXPECT_EQ(storage_read_bytes_of(7, root.path()), std::nullopt);
  EXPECT_EQ(called_read_bytes_of(7, root.path()), std::nullopt);
}

TEST(ProcessCpuSeconds, grow_while_it_computes) {
  const double before = process_cpu_seconds();
  volatile std::uint64_t sink = 0;
  while (process_cpu_seconds() <= before) sink = sink + 1;
  EXPECT_GT(process_cpu_seconds(), before);
}

}  // namespace
}  // namespace feedrate
