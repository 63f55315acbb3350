#include "device/cuda/cuda_status.h"

#include <fmt/format.h>

namespace feedrate {
namespace {

std::string describe_old_driver(const CudaAnswers& answers) {
  return fmt::format(
      "the NVIDIA driver is too old: it knows CUDA up to {}, and this program was built with CUDA "
      "{}; update the driver, or build feedrate with a CUDA {} toolkit",
      cuda_version_text(answers.driver_version), cuda_version_text(answers.runtime_version),
      answers.driver_version / 1000);
}

}  // namespace

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string describe_cuda_problem(const CudaAnswers& answers) {
  switch (answers.error) {
    case cuda_error::kSuccess:
      if (answers.devices > 0) return "";
      [[fallthrough]];
    case cuda_error::kNoDevice:
      return "the NVIDIA driver shows no GPU; see nvidia-smi, CUDA_VISIBLE_DEVICES and, in a "
             "container, whether a GPU was passed in";
    case cuda_error::kInsufficientDriver:
      // The runtime gives the same error for "no driver"; only the driver's version tells.
      if (answers.driver_version > 0) return describe_old_driver(answers);
      return "this machine has no NVIDIA driver (no usable libcuda.so.1)";
    case cuda_error::kCallRequiresNewerDriver:
      return describe_old_driver(answers);
    case cuda_error::kStubLibrary:
      return "libcuda.so.1 is the CUDA toolkit's stub, not a driver; take the toolkit's stubs "
             "folder out of LD_LIBRARY_PATH";
    default:
      return fmt::format("CUDA cannot use this machine's GPU: error {} ({}): {}", answers.error,
                         answers.error_name, answers.error_text);
  }
}

std::string describe_build_without_cuda() {
  return "this program was built without CUDA; configure with -DFEEDRATE_CUDA=ON where nvcc is";
}

}  // namespace feedrate
