// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/summary_print.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/course_timeline.h"
#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

std::string printed(const Timeline& timeline) {
  std::ostringstream out;
  print_summary(out, summarize(timeline));
  return out.str();
}

TEST(SummaryPrint, shows_the_courses_table_before) {
  EXPECT_EQ(printed(course_timeline_before()), R"(Execution Summary (5 steps)
Category           Time Duration (us)  Percentage (%)
-----------------  ------------------  --------------
Average Step Time           2,721,884          100.00
Kernel                        134,325            4.93
Memcpy                         13,314            0.49
Memset                            713            0.03
Communication                     110            0.00
Runtime                             0            0.00
DataLoader                  2,563,866           94.19
CPU Exec                        6,458            0.24
Other                           3,098            0.11

GPU Summary
                                                GPU 0
------------------------------  ---------------------
Name                            NVIDIA A100-SXM4-80GB
Memory                                      79.15 GiB
Compute Capability                                8.0
GPU Utilization                                4.94 %
Est. SM Efficiency                             4.86 %
Est. Achieved Occupancy                       30.76 %
Kernel Time using Tensor Cores                 0.00 %

GPU Time (% of the steps)
                               GPU 0
-----------------------------  -----
Kernel running                  4.94
Copy running                    0.49
  hidden by a kernel            0.00
  exposed                       0.49
Idle                           94.55
  host in next()               94.19
  host in a CUDA call           0.00
  host in an operator           0.24
  host elsewhere                0.11
Idle after a wait of the host   0.00

Temporal Breakdown (from the first to the last work of a GPU)
        Time (us)  Idle (%)  Compute (%)  Non-Compute (%)  Communication (%)  Overlapped (%)
-----  ----------  --------  -----------  ---------------  -----------------  --------------
GPU 0  13,606,822     94.54         4.94             0.52               0.00            0.00

Idle Breakdown (gaps of a stream, by cause)
                   Idle (us)  Host (%)  Kernel (%)  Other (%)
----------------  ----------  --------  ----------  ---------
GPU 0, stream 7   12,864,553      0.00        0.00     100.00
GPU 0, stream 20  10,887,136      0.00        0.00     100.00

Performance Recommendation
* The step spends much of its time on loading data. Load in worker processes: set num_workers, or raise it step by step.
  Because: DataLoader 94.2 % of the step (limit 5 %).
* GPU utilization is low. If loading keeps up, use larger batches; they may change the convergence of the model.
  Because: a kernel runs: GPU 0 4.9 % of the time (limit 50 %).
)");
}

TEST(SummaryPrint, shows_the_courses_table_after) {
  const std::string text = printed(course_timeline_after());
  EXPECT_THAT(text, HasSubstr(R"(
Average Step Time             142,633          100.00
Kernel                        123,861           86.84
Memcpy                          9,311            6.53
Memset                            558            0.39
Communication                      39            0.03
Runtime                             0            0.00
DataLoader                        327            0.23
CPU Exec                        3,862            2.71
Other                           4,675            3.28
)"));
  EXPECT_THAT(text, HasSubstr(R"(
GPU Utilization                               86.84 %
Est. SM Efficiency                            85.55 %
Est. Achieved Occupancy                       32.15 %
)"));
}

TEST(SummaryPrint, prints_placeholders_for_empty_summaries) {
  EXPECT_EQ(printed(Timeline{}), R"(Execution Summary (0 steps)
Category           Time Duration (us)  Percentage (%)
-----------------  ------------------  --------------
Average Step Time                   0            0.00
Kernel                              0            0.00
Memcpy                              0            0.00
Memset                              0            0.00
Communication                       0            0.00
Runtime                             0            0.00
DataLoader                          0            0.00
CPU Exec                            0            0.00
Other                               0            0.00

GPU Summary
no kernels

Performance Recommendation
N/A
)");
}

TEST(SummaryPrint, has_a_column_for_each_gpu_and_hides_control_characters) {
  TestTimeline built(micros(0, 100));
  built.gpu(Role::kKernel, "kernel", micros(0, 60), 7, 0);
  built.gpu(Role::kKernel, "kernel", micros(0, 99), 7, 1);
  GpuProperties second;
  second.device = 1;
  second.name = "A\x1b[31mB";
  built.timeline().gpus.push_back(second);
  std::ostringstream out;
  print_gpu_summary(out, summarize(built.finish()).gpus);
  EXPECT_EQ(out.str(), R"(GPU Summary
                                  GPU 0    GPU 1
------------------------------  -------  -------
Name                                  -  A [31mB
Memory                                -        -
Compute Capability                    -        -
GPU Utilization                 60.00 %  99.00 %
Est. SM Efficiency                    -        -
Est. Achieved Occupancy               -        -
Kernel Time using Tensor Cores   0.00 %   0.00 %
)");
}

}  // namespace
}  // namespace feedrate
