// SPDX-License-Identifier: Apache-2.0
#include "device/numa.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(Numa, counts_the_numbers_of_a_list) {
  EXPECT_EQ(count_listed("0"), 1);
  EXPECT_EQ(count_listed("0-1"), 2);
  EXPECT_EQ(count_listed("0-3,8,10-11"), 7);
}

TEST(Numa, counts_0_in_an_invalid_list) {
  for (const char* text : {"", "x", "-1", "1-0", "0-", "0,", "0 1", "0-1x", "0-99999999"}) {
    EXPECT_EQ(count_listed(text), 0) << text;
  }
}

TEST(Numa, every_machine_has_a_node) { EXPECT_GE(numa_nodes(), 1); }

TEST(Numa, a_missing_device_has_no_node) {
  EXPECT_EQ(numa_node_of_pci("FFFF:FF:1F.7"), std::nullopt);
}

TEST(Numa, a_preference_can_be_set_and_restored) {
  {
    const PreferredNode first(0);
    const PreferredNode none(std::nullopt);
    const PreferredNode absurd(1 << 20);
  }
  const PreferredNode again(0);
}

}  // namespace
}  // namespace feedrate
