// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_status.h"

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr int kOldestToolkit = 12;

std::string describe_old_driver(const CudaAnswers& answers) {
  const int major = answers.driver_version / 1000;
  return fmt::format(
      "the NVIDIA driver is too old: it supports CUDA up to {}, and this program was built with "
      "CUDA {}; update the driver{}",
      cuda_version_text(answers.driver_version), cuda_version_text(answers.runtime_version),
      major < kOldestToolkit ? fmt::format(": feedrate needs CUDA {}", kOldestToolkit)
                             : fmt::format(", or build feedrate with a CUDA {} toolkit", major));
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string_view explain_cuda_error(int error) {
  switch (error) {
    case cuda_error::kMemoryAllocation:
      return "the GPU does not have enough free memory; nvidia-smi lists the processes that use "
             "it; use a smaller batch, or an unshared GPU";
    case cuda_error::kStubLibrary:
      return "libcuda.so.1 is the stub of the CUDA toolkit, not a driver; remove the toolkit's "
             "stubs folder from LD_LIBRARY_PATH";
    case cuda_error::kDevicesUnavailable:
      return "the GPU is not available: another process uses it exclusively, or its compute mode "
             "is prohibited; see nvidia-smi -q -d COMPUTE, and wait or use another GPU";
    case cuda_error::kNoDevice:
      return "the NVIDIA driver reports no GPU; check nvidia-smi -L, CUDA_VISIBLE_DEVICES, that "
             "the container has access to a GPU, and in MIG mode that an instance exists";
    case cuda_error::kInvalidDevice:
      return "no such GPU; CUDA_VISIBLE_DEVICES may hide or renumber GPUs";
    case cuda_error::kNoKernelImageForDevice:
      return "this program has no kernels for this GPU; configure with "
             "-DCMAKE_CUDA_ARCHITECTURES=native on the machine with the GPU";
    case cuda_error::kUnsupportedPtxVersion:
      return "the driver is older than the compiler of these kernels; update the driver, or build "
             "feedrate with an older CUDA toolkit";
    case cuda_error::kEccUncorrectable:
      return "the GPU has an uncorrectable memory error; contact the administrator";
    case cuda_error::kSystemNotReady:
      return "the GPUs are not ready yet; on a machine with NVSwitch, check that "
             "nvidia-fabricmanager is running";
    case cuda_error::kSystemDriverMismatch:
      return "the driver's library and kernel module have different versions; reboot after a "
             "driver update";
    case cuda_error::kCompatNotSupportedOnDevice:
      return "this GPU does not support CUDA's forward compatibility package; remove it from "
             "LD_LIBRARY_PATH";
    case cuda_error::kMpsConnectionFailed:
      return "the CUDA MPS server does not respond; check nvidia-cuda-mps-control and "
             "CUDA_MPS_PIPE_DIRECTORY";
    case cuda_error::kInitializationError:
    case cuda_error::kOperatingSystem:
    case cuda_error::kUnknown:
      return "the driver is installed but does not start; check that nvidia-smi runs, and that "
             "this user can access /dev/nvidia0 and /dev/nvidia-uvm";
    default:
      return "";
  }
}

bool is_device_lost(int error) {
  switch (error) {
    case cuda_error::kEccUncorrectable:
    case cuda_error::kNvlinkUncorrectable:
    case cuda_error::kIllegalAddress:
    case cuda_error::kLaunchTimeout:
    case cuda_error::kContextIsDestroyed:
    case cuda_error::kContained:
    case cuda_error::kUnknown:
      return true;
    default:
      return error >= cuda_error::kHardwareStackError && error <= cuda_error::kLaunchFailure;
  }
}

std::string describe_cuda_problem(const CudaAnswers& answers) {
  switch (answers.error) {
    case cuda_error::kSuccess:
      return answers.devices > 0 ? "" : std::string(explain_cuda_error(cuda_error::kNoDevice));
    case cuda_error::kInsufficientDriver:
      // The runtime reports this error also without a driver.
      if (answers.driver_version > 0) return describe_old_driver(answers);
      return "this machine has no NVIDIA driver (no usable libcuda.so.1)";
    case cuda_error::kCallRequiresNewerDriver:
      return describe_old_driver(answers);
    case cuda_error::kNoDevice:
    case cuda_error::kStubLibrary:
      return std::string(explain_cuda_error(answers.error));
    default:
      break;
  }
  const std::string_view meaning = explain_cuda_error(answers.error);
  return fmt::format("CUDA cannot use this machine's GPU: error {} ({}): {}{}{}", answers.error,
                     answers.error_name, answers.error_text, meaning.empty() ? "" : "; ", meaning);
}

std::string describe_cuda_failure(std::string_view device, std::string_view call,
                                  const CudaAnswers& answers) {
  const std::string_view meaning = explain_cuda_error(answers.error);
  // Explanations of start-up errors do not apply to errors during work.
  if (is_device_lost(answers.error)) {
    return fmt::format(
        "{}: {}: {}: {}; the GPU is lost to this process; see dmesg for the cause (Xid), and "
        "nvidia-smi for its state",
        device, call, answers.error_name, answers.error_text);
  }
  return fmt::format("{}: {}: {}: {}{}{}", device, call, answers.error_name, answers.error_text,
                     meaning.empty() ? "" : "; ", meaning);
}

std::string describe_build_without_cuda() {
  return "this program was built without CUDA; configure with -DFEEDRATE_CUDA=ON on a machine with "
         "nvcc";
}

}  // namespace feedrate
