// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_status.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string describe(int error, int driver_version, int devices = 0) {
  return describe_cuda_problem({.error = error,
                                .devices = devices,
                                .driver_version = driver_version,
                                .runtime_version = 13000,
                                .error_name = "cudaErrorX",
                                .error_text = "the x is broken"});
}

TEST(CudaStatus, a_device_is_no_problem) {
  EXPECT_EQ(describe(cuda_error::kSuccess, 13000, 1), "");
}

TEST(CudaStatus, problems_are_reported_with_their_remedies) {
  using namespace cuda_error;
  EXPECT_THAT(describe(kSuccess, 13000, 0), HasSubstr("reports no GPU"));
  EXPECT_THAT(describe(kInsufficientDriver, 0),
              AllOf(HasSubstr("has no NVIDIA driver"), Not(HasSubstr("too old"))));
  EXPECT_THAT(describe(kInsufficientDriver, 12020),
              AllOf(HasSubstr("too old"), HasSubstr("12.2"), HasSubstr("13.0"),
                    HasSubstr("update the driver"), HasSubstr("CUDA 12 toolkit")));
  EXPECT_THAT(describe(kCallRequiresNewerDriver, 12020), HasSubstr("too old"));
  EXPECT_THAT(describe(kInsufficientDriver, 11040),
              AllOf(HasSubstr("11.4"), HasSubstr("update the driver: feedrate needs CUDA 12"),
                    Not(HasSubstr("toolkit"))));
  EXPECT_THAT(describe(kStubLibrary, 0), AllOf(HasSubstr("stub"), HasSubstr("LD_LIBRARY_PATH")));
  EXPECT_THAT(describe(kNoDevice, 13000),
              AllOf(HasSubstr("CUDA_VISIBLE_DEVICES"), HasSubstr("MIG")));
  EXPECT_THAT(describe(719, 13000),
              AllOf(HasSubstr("719"), HasSubstr("cudaErrorX"), HasSubstr("the x is broken")));
  EXPECT_THAT(
      describe(kDevicesUnavailable, 13000),
      AllOf(HasSubstr("cudaErrorX"), HasSubstr("not available"), HasSubstr("compute mode")));
  for (const int error : {kUnknown, kInitializationError, kOperatingSystem}) {
    EXPECT_THAT(describe(error, 13000), HasSubstr("/dev/nvidia-uvm"));
  }
}

TEST(CudaStatus, each_problem_has_its_own_message) {
  using namespace cuda_error;
  std::set<std::string> messages;
  for (const int error :
       {kMemoryAllocation, kInitializationError, kStubLibrary, kInsufficientDriver,
        kDevicesUnavailable, kNoDevice, kInvalidDevice, kNoKernelImageForDevice, kEccUncorrectable,
        kUnsupportedPtxVersion, kSystemNotReady, kSystemDriverMismatch, kCompatNotSupportedOnDevice,
        kMpsConnectionFailed}) {
    EXPECT_TRUE(messages.insert(describe(error, 0)).second) << error;
  }
}

TEST(CudaStatus, a_failed_call_is_reported_with_device_call_and_remedy) {
  const CudaAnswers full{.error = cuda_error::kMemoryAllocation,
                         .error_name = "cudaErrorMemoryAllocation",
                         .error_text = "out of memory"};
  EXPECT_THAT(describe_cuda_failure("cuda:1", "cudaMalloc", full),
              AllOf(StartsWith("cuda:1: cudaMalloc: cudaErrorMemoryAllocation: out of memory; "),
                    HasSubstr("nvidia-smi")));
  const CudaAnswers other{.error = 1, .error_name = "cudaErrorX", .error_text = "broken"};
  EXPECT_EQ(describe_cuda_failure("cuda:0", "f", other), "cuda:0: f: cudaErrorX: broken");
}

TEST(CudaStatus, a_lost_gpu_is_reported_as_lost) {
  const CudaAnswers answers{.error = cuda_error::kEccUncorrectable,
                            .error_name = "cudaErrorECCUncorrectable",
                            .error_text = "uncorrectable ECC error"};
  EXPECT_THAT(describe_cuda_failure("cuda:1", "cudaMemcpyAsync", answers),
              AllOf(StartsWith("cuda:1: cudaMemcpyAsync: cudaErrorECCUncorrectable: uncorrectable"),
                    HasSubstr("the GPU is lost"), HasSubstr("Xid")));
}

TEST(CudaStatus, only_errors_that_persist_for_the_process_count_as_a_lost_device) {
  for (const int error : {214, 220, 700, 702, 709, 714, 715, 716, 717, 718, 719, 721, 999}) {
    EXPECT_TRUE(is_device_lost(error)) << error;
  }
  for (const int error : {0, 1, 2, 35, 46, 100, 101, 209, 600, 713, 720}) {
    EXPECT_FALSE(is_device_lost(error)) << error;
  }
}

TEST(CudaStatus, versions_read_as_people_write_them) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12020), "12.2");
  EXPECT_EQ(cuda_version_text(11080), "11.8");
}

TEST(CudaStatus, a_build_without_cuda_says_how_to_enable_it) {
  EXPECT_THAT(describe_build_without_cuda(), HasSubstr("-DFEEDRATE_CUDA=ON"));
}

}  // namespace
}  // namespace feedrate
