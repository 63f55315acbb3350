// SPDX-License-Identifier: Apache-2.0
#include "device/numa.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

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
