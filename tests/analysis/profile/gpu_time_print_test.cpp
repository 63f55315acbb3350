// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <gtest/gtest.h>

#include "analysis/profile/summary_print.h"
#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

// A step of 100 us with a kernel that overlaps half of its copy, and two kernels after it.
Timeline one_step_and_more() {
  TestTimeline built;
  built.timeline().lane_names[{0, TestTimeline::kStream}] = "compute stream";
  built.step(0, micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 20));
  built.host(Role::kRuntime, "cudaMemcpyAsync", micros(20, 25));
  built.gpu(Role::kMemcpy, "copy", micros(30, 50), 20);
  built.launch(micros(25, 28), micros(40, 80));
  built.host(Role::kCpuExec, "aten::mm", micros(85, 95));
  built.launch(micros(100, 105), micros(110, 130));  // Launched after 80: a host wait.
  built.launch(micros(106, 107), micros(140, 230));  // Launched before 130.
  return built.finish();
}

std::string printed_gpu_time(const Timeline& timeline) {
  std::ostringstream out;
  print_gpu_times(out, summarize(timeline));
  return out.str();
}

TEST(GpuTimePrint, by_hand) {
  EXPECT_EQ(printed_gpu_time(one_step_and_more()), R"(GPU Time (% of the steps)
                               GPU 0
-----------------------------  -----
Kernel running                 40.00
Copy running                   20.00
  hidden by a kernel           10.00
  exposed                      10.00
Idle                           50.00
  host in next()               20.00
  host in a CUDA call           8.00
  host in an operator          10.00
  host elsewhere               12.00
Idle after a wait of the host   0.00

Temporal Breakdown (from the first to the last work of a GPU)
       Time (us)  Idle (%)  Compute (%)  Non-Compute (%)  Communication (%)  Overlapped (%)
-----  ---------  --------  -----------  ---------------  -----------------  --------------
GPU 0        200     20.00        75.00             5.00               0.00               -

Idle Breakdown (gaps of a stream, by cause)
                       Idle (us)  Host (%)  Kernel (%)  Other (%)
---------------------  ---------  --------  ----------  ---------
GPU 0, compute stream         40     75.00       25.00       0.00
GPU 0, stream 20               0         -           -          -

)");
}

TEST(GpuTimePrint, is_silent_without_a_gpu) {
  TestTimeline built(micros(0, 100));
  built.host(Role::kDataLoader, "next", micros(0, 20));
  EXPECT_EQ(printed_gpu_time(built.finish()), "");
}

}  // namespace
}  // namespace feedrate
