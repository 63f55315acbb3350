// SPDX-License-Identifier: Apache-2.0
#include "core/host/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr const char* kDev =
    "Inter-|   Receive  |  Transmit\n"
    " face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo "
    "colls carrier compressed\n"
    "    lo:    9    9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n"
    "  eth0:100    1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n"
    " bond0: 100    1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n";

TEST(Network, counts_hardware_once_and_never_the_loopback) {
  const FakeRoot root;
  root.write("proc/net/dev", kDev);
  root.write("sys/class/net/eth0/device/vendor", "x");
  EXPECT_THAT(read_network(root.path()), ElementsAre(NetworkInterface{"eth0", 100, 20}));
}

TEST(Network, returns_all_interfaces_if_none_is_hardware) {
  const FakeRoot root;
  root.write("proc/net/dev", kDev);
  EXPECT_THAT(read_network(root.path()),
              ElementsAre(NetworkInterface{"eth0", 100, 20}, NetworkInterface{"bond0", 100, 20}));
}

TEST(Network, is_empty_if_the_kernel_does_not_list_interfaces) {
  const FakeRoot root;
  EXPECT_THAT(read_network(root.path()), IsEmpty());
  EXPECT_EQ(link_speed("eth0", root.path()), std::nullopt);
}

TEST(LinkSpeed, is_read_in_megabits) {
  const FakeRoot root;
  root.write("sys/class/net/eth0/speed", "25000\n");
  EXPECT_THAT(link_speed("eth0", root.path()), Optional(3.125e9));
}

TEST(LinkSpeed, is_unknown_of_a_link_that_is_down_or_virtual) {
  const FakeRoot root;
  root.write("sys/class/net/eth0/speed", "-1\n");
  root.write("sys/class/net/eth1/speed", "4294967295\n");
  EXPECT_EQ(link_speed("eth0", root.path()), std::nullopt);
  EXPECT_EQ(link_speed("eth1", root.path()), std::nullopt);
}

}  // namespace
}  // namespace feedrate
