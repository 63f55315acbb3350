// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/kernels.h"

#include <array>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/device/simulated/round_spec.h"

namespace feedrate {
namespace {

SimulatedDeviceSpec spec_with(double memory_rate) {
  SimulatedDeviceSpec spec = round_spec();
  spec.peak_flops = {.fp32 = 1e12, .tf32 = 0, .bf16 = 4e12, .fp16 = 0};
  spec.memory_rate = memory_rate;
  spec.efficiency = 0.5;
  return spec;
}

// 2 · 100³ operations run at half of 10¹² or 4 · 10¹² per second.
TEST(GemmTime, is_that_of_the_arithmetic) {
  const SimulatedDeviceSpec spec = spec_with(1e15);
  EXPECT_EQ(gemm_time(spec, {100, 100, 100, 7}, Precision::kFp32), Nanos(4'000));
  EXPECT_EQ(gemm_time(spec, {100, 100, 100, 7}, Precision::kBf16), Nanos(1'000));
}

// Three matrices of 10,000 numbers move at half of 10⁹ bytes per second.
TEST(GemmTime, is_that_of_the_memory_traffic_if_that_takes_longer) {
  const SimulatedDeviceSpec spec = spec_with(1e9);
  EXPECT_EQ(gemm_time(spec, {100, 100, 100, 1}, Precision::kFp32), Nanos(240'000));
  EXPECT_EQ(gemm_time(spec, {100, 100, 100, 1}, Precision::kBf16), Nanos(120'000));
}

TEST(NormalizeTime, is_that_of_reading_bytes_and_writing_floats) {
  EXPECT_EQ(normalize_time(spec_with(1e9), {2, 50}), Nanos(3'000));  // 300 values, 5 bytes each
}

TEST(DeviceCopyTime, is_that_of_reading_and_writing) {
  EXPECT_EQ(device_copy_time(spec_with(1e9), 1'000), Nanos(4'000));
}

TEST(SimulatedGemms, have_one_launch_per_product) {
  const std::array<Gemm, 2> gemms{{{100, 100, 100, 2}, {100, 200, 100, 1}}};
  const auto work = make_simulated_gemms(spec_with(1e15), gemms, Precision::kFp32);
  EXPECT_EQ(work->launches(), (std::vector{Nanos(4'000), Nanos(4'000), Nanos(8'000)}));
}

TEST(SimulatedGemms, refuse_a_precision_that_the_gpu_lacks) {
  const std::array<Gemm, 1> gemms{{{1, 1, 1, 1}}};
  EXPECT_THROW(static_cast<void>(make_simulated_gemms(spec_with(1e9), gemms, Precision::kTf32)),
               DeviceError);
}

}  // namespace
}  // namespace feedrate
