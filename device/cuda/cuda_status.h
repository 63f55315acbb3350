// SPDX-License-Identifier: Apache-2.0
// What the CUDA runtime says about a machine, in plain words. Pure, and built without CUDA too, so
// that every message is tested on every machine.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// cudaError_t by value, as far as there is more to say than the runtime does.
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
inline constexpr int kLaunchFailure = 719;  ///< 715 to 718 are kinds of it
inline constexpr int kContained = 721;
inline constexpr int kSystemNotReady = 802;
inline constexpr int kSystemDriverMismatch = 803;
inline constexpr int kCompatNotSupportedOnDevice = 804;
inline constexpr int kMpsConnectionFailed = 805;
inline constexpr int kUnknown = 999;
}  // namespace cuda_error

/// The answers to one probe. Versions are CUDA's own numbers: 12020 is 12.2.
struct CudaAnswers {
  int error = cuda_error::kSuccess;  ///< of cudaGetDeviceCount
  int devices = 0;
  int driver_version = 0;   ///< the newest CUDA that the driver knows; 0 without a driver
  int runtime_version = 0;  ///< of the runtime that this program was built with
  std::string_view error_name = "";
  std::string_view error_text = "";
};

/// Why there is no device, and what to do about it; empty if there is one.
[[nodiscard]] std::string describe_cuda_problem(const CudaAnswers& answers);

/// An error of a call on a device: "cuda:0: cudaMalloc: cudaErrorMemoryAllocation: out of memory;
/// …", what to do about it last. Of `answers` only the error counts.
[[nodiscard]] std::string describe_cuda_failure(std::string_view device, std::string_view call,
                                                const CudaAnswers& answers);

/// What an error means and what helps against it, in plain words; empty where the runtime's own
/// words must do.
[[nodiscard]] std::string_view explain_cuda_error(int error);

/// Whether after this error of a call every other one fails, too, until the process ends
/// (cudaError_t in CUDA's documentation says so of each).
[[nodiscard]] bool is_device_lost(int error);

/// "12.2" of 12020.
[[nodiscard]] std::string cuda_version_text(int version);

/// What a build without CUDA says.
[[nodiscard]] std::string describe_build_without_cuda();

}  // namespace feedrate
