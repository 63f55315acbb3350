// SPDX-License-Identifier: Apache-2.0
// Launches, waits, communication, kernels, operators and memory in small traces; the values are
// computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/profile/small_trace.h"

namespace feedrate {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = TraceJson;

using TraceViews = SmallTrace;

// 40 launches of 20 us each, whose kernels take 4 us: the GPU works 160 of 1000 us, and is idle for
// 16 us of each launch except the last.
TEST_F(TraceViews, a_step_of_slow_launches_is_api_bound) {
  std::vector<Json> events{step(1, 0, 1000)};
  for (int i = 0; i < 40; ++i) {
    events.push_back(call("cuda_runtime", "cudaLaunchKernel", 20 * i, 20, i + 1));
    events.push_back(kernel("add", 20 * i + 19, 4, i + 1));
  }
  const TraceReport report = report_of(events);
  EXPECT_THAT(
      advice_of(report),
      AllOf(HasSubstr("API-bound"), HasSubstr("CUDA graphs"), HasSubstr("fused optimizer"),
            HasSubstr("idle for 64.3 % of the steps while the host was in CUDA calls to launch"),
            HasSubstr("a kernel takes 4.0 us"), Not(HasSubstr("larger batches"))));
}

// Both calls initialize: a process's first kernel loads its module.
TEST_F(TraceViews, calls_that_initialize_or_copy_are_not_api_bound) {
  const TraceReport report = report_of(
      {step(1, 0, 10000), call("cuda_runtime", "cudaMalloc", 0, 3000, 1),
       call("cuda_runtime", "cudaLaunchKernel", 3000, 3000, 2),
       call("cuda_runtime", "cudaMemcpyAsync", 6000, 900, 3), kernel("add", 7000, 100, 2)});
  EXPECT_THAT(advice_of(report), AllOf(Not(HasSubstr("API-bound")), HasSubstr("larger batches")));
}

// 20 times a kernel of 10 us, a copy of its result to the host, a wait, and 30 us of Python.
TEST_F(TraceViews, a_step_that_reads_results_is_synchronization_bound) {
  std::vector<Json> events{step(1, 0, 1000)};
  for (int i = 0; i < 20; ++i) {
    const double at = 50 * i;
    events.push_back(call("cuda_runtime", "cudaLaunchKernel", at, 2, 3 * i + 1));
    events.push_back(call("cuda_runtime", "cudaMemcpyAsync", at + 3, 2, 3 * i + 2));
    events.push_back(call("cuda_runtime", "cudaStreamSynchronize", at + 5, 15, 3 * i + 3));
    events.push_back(kernel("add", at + 3, 10, 3 * i + 1));
    events.push_back(
        on_gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", at + 13, 2, 3 * i + 2));
  }
  const TraceReport report = report_of(events);
  const DeviceTimes& gpu = report.summary.devices.at(0);
  EXPECT_EQ(gpu.waits, 20U);
  EXPECT_EQ(micros_of(gpu.idle_after_waits()), 19 * 38 + 35);  // Idle 15 to 53, last to 50.
  EXPECT_THAT(advice_of(report),
              AllOf(HasSubstr("synchronization-bound"), HasSubstr(".item()"),
                    HasSubstr("waited 20 times a step"), HasSubstr("75.7 % of the steps"),
                    Not(HasSubstr("larger batches")), Not(HasSubstr("API-bound"))));
}

TEST_F(TraceViews, one_wait_a_step_and_waits_for_batches_are_not_synchronization_bound) {
  std::vector<Json> events{step(1, 0, 1000)};
  for (int i = 0; i < 20; ++i) {
    const double at = 50 * i;
    events.push_back(call("cuda_runtime", "cudaMemcpyAsync", at + 3, 2, 3 * i + 2));
    events.push_back(call("cuda_runtime", "cudaStreamSynchronize", at + 5, 15, 3 * i + 3));
    events.push_back(
        on_gpu("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at + 13, 2, 3 * i + 2));
  }
  events.push_back(call("cuda_runtime", "cudaDeviceSynchronize", 995, 5, 1000));
  const TraceReport report = report_of(events);
  EXPECT_EQ(report.summary.devices.at(0).waits, 1U);
  EXPECT_THAT(advice_of(report), Not(HasSubstr("synchronization-bound")));
}

// Communication runs from 100 to 300, computation from 200 to 500: half of the former is
// overlapped.
TEST_F(TraceViews, the_overlap_of_communication_equals_htas) {
  const TraceReport report =
      report_of({step(1, 0, 1000), kernel("ncclDevKernel_AllReduce", 100, 200, 1),
                 kernel("gemm", 200, 300, 2)});
  const TemporalBreakdown& gpu = report.summary.temporal.at(0);
  EXPECT_EQ(micros_of(gpu.communication), 200);
  EXPECT_NEAR(communication_overlap(gpu).value(), 0.5, 1e-12);
}

TEST_F(TraceViews, the_kernel_table_has_names_types_and_tensor_cores) {
  const TraceReport report =
      report_of({step(1, 0, 1000), kernel("s16816gemm", 0, 300, 1), kernel("add", 300, 60, 2),
                 kernel("add", 400, 40, 3), kernel("ncclDevKernel_AllReduce", 500, 50, 4),
                 on_gpu("gpu_memset", "Memset (Device)", 600, 5, 5)});
  const KernelTable& table = report.kernels;
  ASSERT_EQ(table.kernels.size(), 3U);
  EXPECT_EQ(report.file.timeline.names.text(table.kernels[0].name), "s16816gemm");
  EXPECT_EQ(report.file.timeline.names.text(table.kernels[1].name), "add");
  EXPECT_EQ(table.kernels[1].sum.count, 2U);
  EXPECT_EQ(micros_of(table.kernels[1].sum.time), 100);
  EXPECT_EQ(micros_of(table.kernels[1].longest), 60);
  EXPECT_EQ(table.types[0].count, 3U);
  EXPECT_EQ(micros_of(table.on_tensor_cores.value().time), 300);
  EXPECT_EQ(micros_of(table.total()), 455);
}

TEST_F(TraceViews, operators_are_grouped_by_shapes_and_exclude_nested_ones) {
  const auto mm = [](double begin, int id, Json shapes) {
    return host_event("cpu_op", "aten::mm", begin, 20,
                      {{"External id", id}, {"Input Dims", std::move(shapes)}});
  };
  const TraceReport report = report_of(
      {step(1, 0, 1000), host_event("cpu_op", "aten::linear", 0, 100), mm(10, 1, {{4, 8}, {8, 2}}),
       mm(40, 2, {{4, 8}, {8, 2}}), mm(70, 3, {{5, 5}, {5, 5}}),
       on_gpu("kernel", "gemm", 200, 64, 11, {{"External id", 1}}),
       on_gpu("kernel", "gemm", 300, 64, 12, {{"External id", 2}}),
       on_gpu("kernel", "gemm", 400, 9, 13, {{"External id", 3}})});
  ASSERT_EQ(report.operators.size(), 3U);
  const OperatorRow& first = report.operators[0];
  EXPECT_EQ(report.file.timeline.names.text(first.shapes), "[4,8],[8,2]");
  EXPECT_EQ(first.calls, 2U);
  EXPECT_EQ(micros_of(first.device), 128);
  EXPECT_EQ(first.flops.value(), 2 * 4 * 8 * 2);
  EXPECT_NEAR(first.flops_per_second().value(), 2 * 128 / 128e-6, 1e-3);
  EXPECT_EQ(micros_of(report.operators[2].host), 40);  // aten::linear
}

TEST_F(TraceViews, memory_peaks_are_the_maximum_of_each_allocator) {
  const auto memory = [](int type, int id, std::int64_t allocated, std::int64_t reserved) {
    return Json{{"ph", "i"},
                {"name", "[memory]"},
                {"ts", 5},
                {"pid", 1},
                {"tid", 1},
                {"args",
                 {{"Device Type", type},
                  {"Device Id", id},
                  {"Total Allocated", allocated},
                  {"Total Reserved", reserved}}}};
  };
  const TraceReport report =
      report_of({step(1, 0, 10), memory(1, 0, 3'000, 9'000), memory(1, 0, 5'000, 8'000),
                 memory(0, -1, 700, 0), memory(0, -1, -700, 0)});
  const Timeline& timeline = report.file.timeline;
  EXPECT_EQ(timeline.gpus.at(0).peak.allocated_bytes, 5'000U);
  EXPECT_EQ(timeline.gpus.at(0).peak.reserved_bytes, 9'000U);
  EXPECT_EQ(timeline.host_peak.allocated_bytes, 700U);
  EXPECT_THAT(print(report), HasSubstr("Memory Peak"));
}

TEST(MatrixFlops, are_twice_the_multiplications) {
  EXPECT_EQ(matrix_flops("aten::mm", "[4,8],[8,2]"), 128);
  EXPECT_EQ(matrix_flops("aten::addmm", "[2],[4,8],[8,2],[],[]"), 128);
  EXPECT_EQ(matrix_flops("aten::bmm", "[3,4,8],[3,8,2]"), 384);
  EXPECT_EQ(matrix_flops("aten::baddbmm", "[3,4,2],[3,4,8],[3,8,2],[],[]"), 384);
  for (const char* shapes :
       {"", "[", "[4,8]", "[4,8],[9,2]", "[4],[8,2]", "[[4,8]],[8,2]", "[a],[b]"}) {
    EXPECT_FALSE(matrix_flops("aten::mm", shapes)) << shapes;
  }
  EXPECT_FALSE(matrix_flops("aten::conv2d", "[4,8],[8,2]"));
}

}  // namespace
}  // namespace feedrate
