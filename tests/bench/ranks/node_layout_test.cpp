// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/node_layout.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using testing::TempFolder;
using testing::write_file;

void write_cpu(const TempFolder& root, int cpu, const std::string& siblings) {
  write_file(root / ("sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/topology/thread_siblings_list"),
             siblings + "\n");
}

void write_device(const TempFolder& root, const std::string& id, const std::string& vendor,
                  const std::string& kind, const std::string& node) {
  const std::string folder = "sys/bus/pci/devices/" + id + "/";
  write_file(root / (folder + "vendor"), vendor + "\n");
  write_file(root / (folder + "class"), kind + "\n");
  write_file(root / (folder + "numa_node"), node + "\n");
}

TEST(NodeLayout, is_read_from_sysfs) {
  const TempFolder root;
  write_file(root / "sys/devices/system/cpu/online", "0-3\n");
  write_file(root / "sys/devices/system/node/online", "0-1\n");
  write_file(root / "sys/devices/system/node/node0/cpulist", "0,2\n");
  write_file(root / "sys/devices/system/node/node1/cpulist", "1,3\n");
  write_cpu(root, 0, "0,2");
  write_cpu(root, 1, "1,3");
  write_cpu(root, 2, "0,2");
  write_cpu(root, 3, "1,3");
  write_device(root, "0000:b1:00.0", "0x10de", "0x030200", "1");
  write_device(root, "0000:3b:00.0", "0x10de", "0x030000", "0");
  write_device(root, "0000:3b:00.1", "0x10de", "0x040300", "0");  // Its audio function.
  write_device(root, "0000:01:00.0", "0x8086", "0x030000", "-1");
  const NodeLayout layout = read_node_layout(root.path());
  ASSERT_EQ(layout.cores.size(), 2U);
  EXPECT_EQ(layout.cores[0].cpus, (CpuList{0, 2}));
  EXPECT_EQ(layout.cores[1].cpus, (CpuList{1, 3}));
  EXPECT_EQ(layout.cores[1].node, 1);
  ASSERT_EQ(layout.gpus.size(), 2U);
  EXPECT_EQ(layout.gpus[0].bus_id, "0000:3b:00.0");
  EXPECT_EQ(layout.gpus[1].node, 1);

  const NodeLayout chosen =
      read_node_layout(root.path(), {"00000000:B1:00.0", "0000:01:00.0", "0000:ff:00.0"});
  ASSERT_EQ(chosen.gpus.size(), 3U);
  EXPECT_EQ(chosen.gpus[0].node, 1);
  EXPECT_EQ(chosen.gpus[1].node, std::nullopt);
  EXPECT_EQ(chosen.gpus[2].node, std::nullopt);
}

TEST(NodeLayout, of_a_machine_without_sysfs_is_empty) {
  const TempFolder root;
  const NodeLayout layout = read_node_layout(root.path());
  EXPECT_TRUE(layout.cores.empty());
  EXPECT_TRUE(layout.gpus.empty());
}

TEST(NodeLayout, of_this_machine_has_cores) { EXPECT_FALSE(read_node_layout().cores.empty()); }

}  // namespace
}  // namespace feedrate
