// SPDX-License-Identifier: Apache-2.0
// Tests the memory traffic of a model's step. Expected values were counted by forward hooks of
// torchvision's resnet50(): 53 outputs of BatchNorm2d with 11,113,984 values per image in all, 49
// of ReLU with 9,608,704, 25,557,032 parameters; its 16 blocks add 5,519,360 values, and take
// 5,619,712.
#include "bench/trainers/step_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/trainers/step_work.h"
#include "core/error.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

constexpr double kNorms = 11'113'984, kActivations = 9'608'704;
constexpr double kSums = 5'519'360, kBranches = 5'619'712;
constexpr double kPooled = 802'816;  // 64 × 112 × 112; a quarter is the output
constexpr double kAveraged = 100'352;
constexpr double kWeights = 25'557'032;

double values_of_image() {
  const double pooling = 2 * (kPooled + kPooled / 4 + 4 * kPooled / 4);
  return 8 * kNorms + 5 * kActivations + 3 * kSums + 3 * kBranches + pooling + 2 * kAveraged;
}

TEST(model_passes, move_the_bytes_of_resnet50) {
  const std::vector<StepPass> fp32 = model_passes("resnet50", Precision::kFp32);
  EXPECT_EQ(bytes_moved(fp32, 1, Precision::kFp32), 4 * values_of_image() + 32 * kWeights);
  const std::vector<StepPass> bf16 = model_passes("resnet50", Precision::kBf16);
  EXPECT_EQ(bytes_moved(bf16, 128, Precision::kBf16),
            2 * 128 * values_of_image() + (32 + 2 * 6) * kWeights);
}

TEST(model_passes, count_one_kernel_per_pass) {
  std::int64_t kernels = 0;
  for (const StepPass& pass : model_passes("resnet50", Precision::kFp32)) kernels += pass.count;
  EXPECT_EQ(kernels, 4 * 53 + 2 * 49 + 2 * 16 + 2 + 2 + 1);
}

// Convolutions have 8, 32, 64 and 128 channels, dense layers 2048, 2048 and 10 outputs.
TEST(model_passes, move_the_bytes_of_the_courses_network) {
  constexpr double kOutputs = 8 * 1024 + 32 * 1024 + 64 * 256 + 128 * 64 + 2048;
  constexpr double kIn = 32 * 1024 + 64 * 256 + 128 * 64;
  constexpr double kParameters = 3 * 8 * 9 + 8 + 8 * 32 * 9 + 32 + 32 * 64 * 9 + 64 + 64 * 128 * 9 +
                                 128 + 2048 * 2048 + 2048 + 2048 * 10 + 10;
  EXPECT_EQ(bytes_moved(model_passes("surf-cifar10", Precision::kFp32), 1, Precision::kFp32),
            4 * (5 * kOutputs + 2 * (kIn + kIn / 4 + kIn)) + 72 * kParameters);
}

TEST(model_passes, refuse_an_unknown_model) {
  EXPECT_THROW(static_cast<void>(model_passes("alexnet", Precision::kFp32)), ConfigError);
}

// Training in bfloat16 on an H100 has 32.88 ms of kernels for 128 images; products take less than a
// third of it (results/h100-16cpu/2026-11-26-resnet50/trace.txt).
TEST(model_passes, and_products_take_the_time_of_a_real_resnet50_on_an_h100) {
  ManualClock clock;
  const auto device = make_simulated_device(find_simulated_preset("h100-pcie5"), clock);
  const auto time_of = [&](std::vector<StepPass> passes) {
    const auto work =
        make_gemm_work(*device, {model_gemms("resnet50"), 1, Precision::kBf16, std::move(passes)});
    const auto begin = device->create_event(), end = device->create_event();
    DeviceStream& stream = device->default_stream();
    work->prepare(128);
    stream.record(*begin);
    work->launch(stream, 128);
    stream.record(*end);
    end->synchronize();
    return 1e3 * to_seconds(device->elapsed(*begin, *end));
  };
  const double all = time_of(model_passes("resnet50", Precision::kBf16));
  EXPECT_NEAR(all / 32.88, 1.0, 0.15) << all;
  EXPECT_LT(time_of({}), all / 3.0);
}

}  // namespace
}  // namespace feedrate
