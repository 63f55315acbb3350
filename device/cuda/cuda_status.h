// What the CUDA runtime says about a machine, in plain words. Pure, and built without CUDA too, so
// that every message is tested on every machine.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// cudaError_t by value, as far as one of them means "there is no device to use".
namespace cuda_error {
inline constexpr int kSuccess = 0;
inline constexpr int kStubLibrary = 34;
inline constexpr int kInsufficientDriver = 35;
inline constexpr int kCallRequiresNewerDriver = 36;
inline constexpr int kNoDevice = 100;
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

/// "12.2" of 12020.
[[nodiscard]] std::string cuda_version_text(int version);

/// What a build without CUDA says.
[[nodiscard]] std::string describe_build_without_cuda();

}  // namespace feedrate
