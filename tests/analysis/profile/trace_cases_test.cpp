// SPDX-License-Identifier: Apache-2.0
// Regression tests: small traces for which feedrate's values were wrong. The expected values are
// computed by hand from the events, unless a test names another source.
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

using TraceCases = SmallTrace;

// Values of HTA 0.5, which ignores copies of ranges: total 1000, idle 980, compute 0, non-compute
// 20.
TEST_F(TraceCases, the_copy_of_a_collective_on_the_gpu_is_no_kernel) {
  const Json id{{"External id", 1}};
  const std::string nccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)";
  const TraceReport report =
      report_of({step(1, 0, 1000), host_event("user_annotation", "nccl:all_reduce", 0, 30, id),
                 call("cuda_runtime", "cudaLaunchKernel", 5, 2, 1),
                 call("cuda_runtime", "cudaLaunchKernel", 15, 2, 2),
                 on_gpu("kernel", nccl, 0, 10, 1, id), on_gpu("kernel", nccl, 990, 10, 2, id),
                 on_gpu("gpu_user_annotation", "nccl:all_reduce", 0, 1000, 0, id)});
  const TemporalBreakdown gpu = report.summary.temporal.at(0);
  EXPECT_EQ(micros_of(gpu.total), 1000);
  EXPECT_EQ(micros_of(gpu.idle), 980);
  EXPECT_EQ(micros_of(gpu.compute), 0);
  EXPECT_EQ(micros_of(gpu.non_compute), 20);
  EXPECT_NEAR(report.summary.gpus.at(0).utilization, 0.02, 1e-12);
}

TEST_F(TraceCases, the_copy_of_next_on_the_gpu_is_no_loading) {
  const TraceReport report =
      report_of({step(1, 0, 1000), host_event("user_annotation", kNext, 0, 100),
                 call("cuda_runtime", "cudaLaunchKernel", 5, 2, 1),
                 call("cuda_runtime", "cudaLaunchKernel", 15, 2, 2), kernel("k", 100, 10, 1),
                 kernel("k", 990, 10, 2), on_gpu("gpu_user_annotation", kNext, 100, 900, 0)});
  EXPECT_EQ(micros_of(report, 0, Role::kDataLoader), 96);  // 4 us of it are runtime calls.
  EXPECT_EQ(micros_of(report, 0, Role::kKernel), 20);
  EXPECT_EQ(micros_of(report, 0, kOtherRole), 880);
  EXPECT_EQ(micros_of(report.loader.steps.at(0).raw), 100);
}

TEST_F(TraceCases, the_copy_of_a_range_on_the_gpu_is_no_host_work) {
  const TraceReport report = report_of(
      {step(1, 0, 1000), host_event("user_annotation", "## forward ##", 0, 50),
       call("cuda_runtime", "cudaLaunchKernel", 5, 2, 1),
       call("cuda_runtime", "cudaLaunchKernel", 15, 2, 2), kernel("k", 100, 10, 1),
       kernel("k", 990, 10, 2), on_gpu("gpu_user_annotation", "## forward ##", 100, 900, 0)});
  EXPECT_EQ(micros_of(report, 0, Role::kCpuExec), 46);  // The other 4 us are runtime calls.
  EXPECT_EQ(micros_of(report, 0, kOtherRole), 930);
}

TEST_F(TraceCases, a_late_kernel_of_the_step_before_does_not_hide_next) {
  const TraceReport report = report_of(
      {step(10, 0, 20000), host_event("user_annotation", kNext, 100, 1100),
       kernel("optimizer_of_the_step_before", 1250, 3, 9),
       call("cuda_runtime", "cudaLaunchKernel", 2000, 5, 11), kernel("k", 2100, 1000, 11)});
  ASSERT_EQ(report.loader.waits.size(), 1U);
  EXPECT_EQ(micros_of(report.loader.steps.at(0).raw), 1100);
  EXPECT_EQ(micros_of(report.loader.steps.at(0).exposed), 1100);
}

// A wait during the kernels of the previous step belongs to that step, which is not in the trace.
TEST_F(TraceCases, a_next_that_the_step_before_hides_is_excluded) {
  const TraceReport report = report_of(
      {step(10, 0, 2000), host_event("user_annotation", kNext, 100, 1100),
       kernel("of_the_step_before", 50, 1000, 9),
       call("cuda_runtime", "cudaLaunchKernel", 1300, 5, 11), kernel("k", 1400, 100, 11)});
  EXPECT_EQ(length_of(report, 0), 2000 - 1050);
  EXPECT_EQ(micros_of(report.loader.steps.at(0).raw), 150);
}

class LaunchCalls : public TraceCases,
                    public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(LaunchCalls, end_the_step_with_the_last_kernel) {
  const auto [category, name] = GetParam();
  const TraceReport report =
      report_of({step(1, 0, 1000), host_event("cpu_op", "CompiledFunction", 0, 900),
                 call("cuda_runtime", "cudaLaunchKernel", 50, 5, 4), kernel("k", 100, 10, 4),
                 call(category, name, 100, 5, 5), kernel("triton_poi_fused_add_0", 500, 5000, 5)});
  EXPECT_EQ(length_of(report, 0), 5500);
}

TEST_P(LaunchCalls, begin_the_first_step_at_its_mark) {
  const auto [category, name] = GetParam();
  const TraceReport report = report_of(
      {step(1, 0, 6000), host_event("user_annotation", kNext, 0, 2000),
       call(category, name, 2010, 5, 5), call(category, name, 2020, 5, 6),
       call("cuda_runtime", "cudaLaunchKernel", 2500, 5, 7),
       kernel("triton_poi_fused_add_0", 2100, 2000, 5), kernel("triton_red_fused_1", 4100, 1900, 6),
       kernel("nvjet", 6000, 1000, 7), step(2, 6000, 6000),
       host_event("user_annotation", kNext, 6000, 2000), call(category, name, 8010, 5, 15),
       call(category, name, 8020, 5, 16), call("cuda_runtime", "cudaLaunchKernel", 8500, 5, 17),
       kernel("triton_poi_fused_add_0", 8100, 2000, 15),
       kernel("triton_red_fused_1", 10100, 1900, 16), kernel("nvjet", 12000, 1000, 17)});
  EXPECT_EQ(length_of(report, 0), 7000);
  EXPECT_EQ(micros_of(report, 0, Role::kDataLoader), 2000);
  EXPECT_EQ(report.loader.waits.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Vendors, LaunchCalls,
                         ::testing::Values(std::pair("cuda_runtime", "cudaLaunchKernel"),
                                           std::pair("cuda_runtime", "cudaLaunchKernelExC"),
                                           std::pair("cuda_runtime", "cudaGraphLaunch"),
                                           std::pair("cuda_driver", "cuLaunchKernel"),
                                           std::pair("cuda_driver", "cuLaunchKernelEx"),
                                           std::pair("cuda_runtime", "hipExtModuleLaunchKernel"),
                                           std::pair("xpu_runtime", "urEnqueueKernelLaunch"),
                                           std::pair("xpu_driver",
                                                     "zeCommandListAppendLaunchKernel"),
                                           std::pair("privateuse1_runtime", "launch")),
                         [](const auto& suite) { return std::string(suite.param.second); });

TEST_F(TraceCases, a_device_of_mtia_has_its_own_category) {
  Json work = on_gpu("mtia_ccp_events", "add", 20, 50, 1);
  work["pid"] = 17;
  work["args"] = {{"stream", 112}, {"correlation", 1}};
  const TraceReport report = report_of(
      {host_event("cpu_op", "aten::add", 0, 100), call("mtia_runtime", "launch", 10, 5, 1), work});
  EXPECT_EQ(micros_of(report, 0, Role::kKernel), 50);
  EXPECT_THAT(print(report), AllOf(HasSubstr("accelerator of type MTIA"), HasSubstr("GPU 17"),
                                   Not(HasSubstr("no GPU activity"))));
  EXPECT_FALSE(report.summary.gpus.at(0).tensor_core_share);
}

TEST_F(TraceCases, ranges_of_the_range_profiler_are_named) {
  const TraceReport report = report_of({host_event("cpu_op", "aten::add", 0, 100),
                                        call("cuda_runtime", "cudaLaunchKernel", 10, 5, 1),
                                        host_event("cuda_profiler_range", "gemm", 20, 5)});
  EXPECT_THAT(print(report),
              AllOf(HasSubstr("CUPTI's range profiler"), HasSubstr("profiler_metrics")));
}

TEST_F(TraceCases, calls_without_gpu_work_are_no_cpu_recording) {
  const TraceReport report = report_of({call("cuda_runtime", "cudaLaunchKernel", 10, 5, 1)});
  EXPECT_THAT(print(report),
              AllOf(HasSubstr("could not record the GPU"), Not(HasSubstr("on a CPU"))));
}

TEST_F(TraceCases, a_file_truncated_before_the_gpu_is_no_cpu_recording) {
  const std::string whole = Json{
      {"traceEvents",
       {step(1, 0, 1000), call("cuda_runtime", "cudaLaunchKernel", 10, 5, 1),
        kernel("k", 20, 900,
               1)}}}.dump();
  const std::string cut = whole.substr(0, whole.find(R"("name":"k")"));
  EXPECT_THAT(print(report_of_text(cut)),
              AllOf(HasSubstr("is truncated"), HasSubstr("the work of the GPU is unknown"),
                    Not(HasSubstr("on a CPU"))));
}

Json rocm_copy(Json call_arguments) {
  call_arguments.update({{"correlation", 117}});
  return {step(1, 0, 1000),
          host_event("cuda_runtime", "hipMemcpyWithStream", 100, 60, call_arguments),
          on_gpu("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 120, 22, 117)};
}

TEST_F(TraceCases, a_copy_on_rocm_has_its_bytes_in_the_call) {
  const TraceReport report = report_of(rocm_copy({{"size", "2560"}, {"kind", "1"}}));
  EXPECT_EQ(report.summary.copies.at(0).bytes, 2560U);
  EXPECT_THAT(print(report), HasSubstr("2.6 kB in 0.022 ms, 0.12 GB/s"));
}

TEST_F(TraceCases, a_copy_without_bytes_has_an_unknown_size) {
  const TraceReport report = report_of(rocm_copy(Json::object()));
  EXPECT_THAT(print(report), AllOf(HasSubstr("size not recorded in 0.022 ms"),
                                   Not(HasSubstr("GB/s")), Not(HasSubstr("0.0 MB"))));
  EXPECT_THAT(Json::parse(to_json(report)).at("copies").at(0).at("bytes").dump(), "null");
}

const Json kInstinct{{"id", 0},           {"name", "AMD Instinct MI300X"},
                     {"computeMajor", 9}, {"computeMinor", 4},
                     {"warpSize", 64},    {"numSms", 304}};

std::vector<Json> one_product(const std::string& gemm) {
  const Json id{{"External id", 5}};
  return {step(1, 0, 1000), host_event("cpu_op", "aten::mm", 10, 50, id),
          call("cuda_runtime", "hipExtModuleLaunchKernel", 20, 5, 3),
          on_gpu("kernel", gemm, 100, 800, 3, id)};
}

TEST_F(TraceCases, matrix_cores_of_amd_are_used_by_mfma_kernels) {
  const TraceReport report =
      report_of(one_product("Cijk_Alik_Bljk_BBS_BH_MT256x128x64_MI16x16x1_SN_LDSB1"), kInstinct);
  EXPECT_THAT(advice_of(report), Not(HasSubstr("tensor cores")));
  EXPECT_NEAR(report.summary.gpus.at(0).tensor_core_share.value(), 1.0, 1e-12);
  EXPECT_THAT(print(report), AllOf(HasSubstr("gfx94x"), Not(HasSubstr(" 9.4"))));
}

TEST_F(TraceCases, names_of_amds_kernels_do_not_show_unused_matrix_cores) {
  const TraceReport report = report_of(one_product("assembled_gemm"), kInstinct);
  EXPECT_THAT(advice_of(report), Not(HasSubstr("tensor cores")));
  EXPECT_FALSE(report.summary.gpus.at(0).tensor_core_share);
}

}  // namespace
}  // namespace feedrate
