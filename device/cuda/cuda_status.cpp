#include "device/cuda/cuda_status.h"

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr int kOldestToolkit = 12;

std::string describe_old_driver(const CudaAnswers& answers) {
  const int major = answers.driver_version / 1000;
  return fmt::format(
      "the NVIDIA driver is too old: it knows CUDA up to {}, and this program was built with CUDA "
      "{}; update the driver{}",
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
      return "the GPU has not that much memory free; nvidia-smi shows who holds it; take a smaller "
             "batch, or a GPU of your own";
    case cuda_error::kStubLibrary:
      return "libcuda.so.1 is the CUDA toolkit's stub, not a driver; take the toolkit's stubs "
             "folder out of LD_LIBRARY_PATH";
    case cuda_error::kDevicesUnavailable:
      return "the GPU is busy: another process has it for itself (compute mode exclusive), or "
             "nobody may compute on it; see nvidia-smi -q -d COMPUTE, and wait or take another";
    case cuda_error::kNoDevice:
      return "the NVIDIA driver shows no GPU; see nvidia-smi -L, CUDA_VISIBLE_DEVICES, in a "
             "container whether a GPU was passed in, and in MIG mode whether there is an instance";
    case cuda_error::kInvalidDevice:
      return "there is no such GPU; CUDA_VISIBLE_DEVICES may hide or renumber them";
    case cuda_error::kNoKernelImageForDevice:
      return "this program has no kernels for this GPU; configure with "
             "-DCMAKE_CUDA_ARCHITECTURES=native where the GPU is";
    case cuda_error::kUnsupportedPtxVersion:
      return "the driver is older than the compiler of these kernels; update the driver, or build "
             "feedrate with an older CUDA toolkit";
    case cuda_error::kEccUncorrectable:
      return "the GPU's memory is damaged; tell who runs the machine";
    case cuda_error::kSystemNotReady:
      return "the machine's GPUs are not ready yet; on a machine with NVSwitch, is "
             "nvidia-fabricmanager running?";
    case cuda_error::kSystemDriverMismatch:
      return "the driver's library and its kernel module are of different versions, as after an "
             "update without a restart";
    case cuda_error::kCompatNotSupportedOnDevice:
      return "this GPU does not take CUDA's forward compatibility package; take it out of "
             "LD_LIBRARY_PATH";
    case cuda_error::kMpsConnectionFailed:
      return "the CUDA MPS server does not answer; is nvidia-cuda-mps-control running, and is "
             "CUDA_MPS_PIPE_DIRECTORY right?";
    case cuda_error::kInitializationError:
    case cuda_error::kOperatingSystem:
    case cuda_error::kUnknown:
      return "the driver is there but does not start; does nvidia-smi run, and does this user "
             "have /dev/nvidia0 and /dev/nvidia-uvm?";
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
      // The runtime gives the same error for "no driver"; only the driver's version tells.
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
  // What is said of an error at the start does not fit to one in the midst of work.
  if (is_device_lost(answers.error)) {
    return fmt::format(
        "{}: {}: {}: {}; the GPU is lost to this process: dmesg tells why (Xid), and nvidia-smi "
        "whether it is still there",
        device, call, answers.error_name, answers.error_text);
  }
  return fmt::format("{}: {}: {}: {}{}{}", device, call, answers.error_name, answers.error_text,
                     meaning.empty() ? "" : "; ", meaning);
}

std::string describe_build_without_cuda() {
  return "this program was built without CUDA; configure with -DFEEDRATE_CUDA=ON where nvcc is";
}

}  // namespace feedrate
