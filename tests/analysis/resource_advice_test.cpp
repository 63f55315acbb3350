// SPDX-License-Identifier: Apache-2.0
#include "analysis/resource_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

CellResult monitored(std::vector<Metric> metrics) {
  CellResult cell;
  cell.outcome = Outcome::kOk;
  cell.metrics = std::move(metrics);
  cell.metrics.push_back({"monitor_cpu", 0.004});
  return cell;
}

TEST(ResourceAdvice, is_none_of_a_cell_that_was_not_monitored) {
  CellResult cell;
  cell.metrics = {{"gpu_busy", 0.5}, {"cpu_busy", 1.0}};
  EXPECT_THAT(resource_advice(cell), IsEmpty());
}

TEST(ResourceAdvice, is_none_of_a_mock) {
  CellResult cell = monitored({{"cpu_busy", 1.0}});
  cell.settings = {{"trainer", std::string("discard")}};
  EXPECT_THAT(resource_advice(cell), IsEmpty());
}

TEST(ResourceAdvice, asks_for_ninety_percent_of_the_gpu) {
  EXPECT_THAT(resource_advice(monitored({{"gpu_busy", 0.90}})),
              ElementsAre("GPU: busy 90 % of the time; the target is 90 % or more."));
  EXPECT_THAT(resource_advice(monitored({{"gpu_busy", 0.899}})),
              ElementsAre("GPU: busy 89 % of the time, below the target of 90 %."));
}

TEST(ResourceAdvice, says_what_holds_the_gpu_back) {
  CellResult cell = monitored({{"gpu_busy", 0.5}});
  cell.bottleneck = "decode CPU";
  EXPECT_THAT(resource_advice(cell), ElementsAre(HasSubstr("bottleneck: decode CPU")));
}

TEST(ResourceAdvice, prefers_the_drivers_figure) {
  EXPECT_THAT(resource_advice(monitored({{"gpu_busy", 0.5}, {"nvml_utilisation", 0.97}})),
              ElementsAre(StartsWith("GPU: busy 97 %")));
}

TEST(ResourceAdvice, names_all_that_is_maxed_out) {
  EXPECT_THAT(resource_advice(monitored({{"cpu_busy", 0.95},
                                         {"memory_used", 0.9},
                                         {"gpu_memory_used", 0.95},
                                         {"network_busy", 0.8}})),
              ElementsAre(StartsWith("CPU: 95 % of the CPUs busy (full at 95 %)"),
                          StartsWith("Memory: 90 %"), StartsWith("GPU memory: 95 %"),
                          StartsWith("Network: 80 %")));
  EXPECT_THAT(resource_advice(monitored({{"cpu_busy", 0.949},
                                         {"memory_used", 0.899},
                                         {"gpu_memory_used", 0.949},
                                         {"network_busy", 0.799}})),
              IsEmpty());
}

TEST(ResourceAdvice, advises_no_more_cpus_where_other_programs_took_them) {
  EXPECT_THAT(resource_advice(monitored(
                  {{"cpu_busy", 1.0}, {"cpus", 2.0}, {"foreign_cpu", 0.96}, {"disturbed", 1.0}})),
              ElementsAre(AllOf(HasSubstr("other programs used 0.96 of 2 CPUs"),
                                Not(HasSubstr("more CPUs")))));
}

class DiskAdvice : public ::testing::Test {
 protected:
  static CellResult reading(double bytes_per_second, const std::string& bottleneck) {
    CellResult cell = monitored({});
    cell.bottleneck = bottleneck;
    Repeat& repeat = cell.repeats.emplace_back();
    // Times outside of the window do not count.
    repeat.series = {{"monitor_time", {0.1, 0.2, 0.3, 0.4}},
                     {"monitor_window", {0.15, 0.35}},
                     {"monitor_disk_read", {9e9, bytes_per_second, bytes_per_second, 9e9}}};
    return cell;
  }
};

TEST_F(DiskAdvice, compares_a_slow_rate_with_what_disks_give) {
  EXPECT_THAT(resource_advice(reading(20e6, "storage")),
              ElementsAre(AllOf(HasSubstr("read at 20.0 MB/s"), HasSubstr("150 MB/s"),
                                HasSubstr("3.00 GB/s"))));
}

TEST_F(DiskAdvice, keeps_silent_where_storage_is_fast_or_not_at_fault_or_not_known) {
  EXPECT_THAT(resource_advice(reading(151e6, "storage")), IsEmpty());
  EXPECT_THAT(resource_advice(reading(20e6, "GPU")), IsEmpty());
  CellResult cell = reading(20e6, "storage");
  cell.repeats[0].series.erase("monitor_window");
  EXPECT_THAT(resource_advice(cell), IsEmpty());
}

}  // namespace
}  // namespace feedrate
