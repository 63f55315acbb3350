// SPDX-License-Identifier: Apache-2.0
// Explains errors of the CUDA runtime in plain words. Pure functions, also built without CUDA, so
// that every message is tested on every machine.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// Values of cudaError_t that have an explanation here.
namespace cuda_error {
inline constexpr int kSuccess = 0;
inline constexpr int kMemoryAllocation = 2;
inline constexpr int kInitializationError = 3;
inline constexpr int kStubLibrary = 34;
inline constexpr int kInsufficientDriver = 35;
inline constexpr int kCallRequiresNewerDriver = 36;
inline constexpr int kDevicesUnavailable = 46;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kNoKernelImageForDevice = 209;
inline constexpr int kEccUncorrectable = 214;
inline constexpr int kUnsupportedPtxVersion = 222;
inline constexpr int kOperatingSystem = 304;
inline constexpr int kNvlinkUncorrectable = 220;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kLaunchTimeout = 702;
inline constexpr int kContextIsDestroyed = 709;
inline constexpr int kHardwareStackError = 714;
inline constexpr int kLaunchFailure = 719;  ///< 715 to 718 are kinds of this error
inline constexpr int kContained = 721;
inline constexpr int kSystemNotReady = 802;
inline constexpr int kSystemDriverMismatch = 803;
inline constexpr int kCompatNotSupportedOnDevice = 804;
inline constexpr int kMpsConnectionFailed = 805;
inline constexpr int kUnknown = 999;
}  // namespace cuda_error

/// Answers of the runtime to one probe. Versions are CUDA's own numbers: 12020 is 12.2.
struct CudaAnswers {
  int error = cuda_error::kSuccess;  ///< of cudaGetDeviceCount
  int devices = 0;
  int driver_version = 0;  ///< the newest CUDA version that the driver supports; 0 without a driver
  int runtime_version = 0;  ///< of the runtime that this program was built with
  std::string_view error_name = "";
  std::string_view error_text = "";
};

/// Empty if there is a device.
[[nodiscard]] std::string describe_cuda_problem(const CudaAnswers& answers);

/// Describes the error of a call on a device, with the remedy last: "cuda:0: cudaMalloc:
/// cudaErrorMemoryAllocation: out of memory; …". Reads only the error's fields of `answers`.
[[nodiscard]] std::string describe_cuda_failure(std::string_view device, std::string_view call,
                                                const CudaAnswers& answers);

/// The meaning and the remedy of an error in plain words; empty if the runtime's text has to
/// suffice.
[[nodiscard]] std::string_view explain_cuda_error(int error);

/// Whether every later call of this process fails too after this error, as CUDA's documentation of
/// cudaError_t says.
[[nodiscard]] bool is_device_lost(int error);

/// Returns "12.2" for 12020.
[[nodiscard]] std::string cuda_version_text(int version);

[[nodiscard]] std::string describe_build_without_cuda();

}  // namespace feedrate
