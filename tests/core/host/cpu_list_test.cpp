// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_list.h"

#include <thread>

#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

TEST(CpuLists, are_written_as_linux_does) {
  EXPECT_EQ(format_cpu_list({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(parse_cpu_list("0-2,8,10-11\n"), (CpuList{0, 1, 2, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("8,0-1,1"), (CpuList{0, 1, 8}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_EQ(count_list("0-3,8,10-11"), 7);
}

TEST(CpuLists, that_are_invalid_are_refused) {
  for (const char* const text : {"a", "1-", "-1", "3-2", "0-99999999999", "1,,2"}) {
    EXPECT_THROW(static_cast<void>(parse_cpu_list(text)), Error) << text;
    EXPECT_EQ(count_list(text), 0) << text;
  }
}

TEST(BindTo, binds_the_thread) {
  const CpuList before = allowed_cpu_list();
  ASSERT_FALSE(before.empty());
  std::jthread([&] {
    bind_to({before.back()});
    EXPECT_EQ(allowed_cpu_list(), CpuList{before.back()});
  }).join();
  EXPECT_EQ(allowed_cpu_list(), before);
}

TEST(BindTo, names_the_cpus_that_do_not_exist) { EXPECT_THROW(bind_to({60'000}), SystemError); }

}  // namespace
}  // namespace feedrate
