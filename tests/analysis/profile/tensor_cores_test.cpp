// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/tensor_cores.h"

#include <gtest/gtest.h>

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

TEST(TensorCores, are_detected_by_a_kernels_name) {
  EXPECT_TRUE(uses_tensor_cores("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn"));
  EXPECT_TRUE(uses_tensor_cores("volta_h884gemm_128x64_ldg8_nn"));
  EXPECT_TRUE(uses_tensor_cores("nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT"));
  EXPECT_FALSE(uses_tensor_cores("ampere_sgemm_128x64_nn"));
  EXPECT_FALSE(uses_tensor_cores("void at::native::vectorized_elementwise_kernel<4>"));
}

TEST(TensorCores, are_possible_for_matrix_operators) {
  for (const char* name : {"aten::addmm", "aten::cudnn_convolution", "aten::convolution_backward",
                           "aten::_cudnn_rnn", "aten::bmm"}) {
    EXPECT_TRUE(is_tensor_core_eligible(name)) << name;
  }
  for (const char* name : {"aten::add", "aten::mmm", "aten::_convert_weight_to_int4pack",
                           "MmBackward0", "aten::relu_", ""}) {
    EXPECT_FALSE(is_tensor_core_eligible(name)) << name;
  }
}

TEST(TensorCores, times_follow_external_ids_to_the_operator) {
  TestTimeline built;
  built.host(Role::kCpuExec, "aten::mm", micros(0, 10)).external_id = 1;
  built.host(Role::kCpuExec, "aten::add", micros(10, 20)).external_id = 2;
  built.gpu(Role::kKernel, "sgemm", micros(20, 50)).external_id = 1;
  Activity& call = built.host(Role::kRuntime, "cudaLaunchKernel", micros(12, 13));
  call.external_id = 2;
  call.correlation = 9;
  built.gpu(Role::kKernel, "add", micros(50, 60)).correlation = 9;
  built.gpu(Role::kKernel, "hmma", micros(60, 65)).external_id = 77;
  const TensorCoreTimes times = tensor_core_times(built.finish());
  EXPECT_EQ(times.kernels, Nanos(45'000));
  EXPECT_EQ(times.on_tensor_cores, Nanos(5'000));
  EXPECT_EQ(times.of_operators, Nanos(40'000));
  EXPECT_EQ(times.of_eligible_operators, Nanos(30'000));
}

}  // namespace
}  // namespace feedrate
