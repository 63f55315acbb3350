// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cublaslt.h"

#include <string>

#include <fmt/format.h>

#include "core/error.h"
#include "device/nvidia_folders.h"

namespace feedrate::cublaslt {
namespace {

std::string_view name_of(int status) {
  // cublasStatus_t
  switch (status) {
    case 1:
      return "CUBLAS_STATUS_NOT_INITIALIZED: no usable GPU, or no memory left on it";
    case 3:
      return "CUBLAS_STATUS_ALLOC_FAILED: no memory left on the GPU";
    case 7:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH: this GPU is not supported by this version of cuBLAS";
    case 13:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 15:
      return "CUBLAS_STATUS_NOT_SUPPORTED: this GPU has no kernel for it";
    default:
      return "see cublasStatus_t";
  }
}

void look_up(SymbolLoader& loader, Functions& functions) {
#define FEEDRATE_LOAD(name) loader.required(functions.name, "cublasLt" #name)
  FEEDRATE_LOAD(Create);
  FEEDRATE_LOAD(Destroy);
  FEEDRATE_LOAD(MatmulDescCreate);
  FEEDRATE_LOAD(MatmulDescSetAttribute);
  FEEDRATE_LOAD(MatmulDescDestroy);
  FEEDRATE_LOAD(MatrixLayoutCreate);
  FEEDRATE_LOAD(MatrixLayoutDestroy);
  FEEDRATE_LOAD(MatmulPreferenceCreate);
  FEEDRATE_LOAD(MatmulPreferenceSetAttribute);
  FEEDRATE_LOAD(MatmulPreferenceDestroy);
  FEEDRATE_LOAD(MatmulAlgoGetHeuristic);
  FEEDRATE_LOAD(Matmul);
#undef FEEDRATE_LOAD
}

}  // namespace

LibrarySearch library_search() {
  return {.names = {"libcublasLt.so.13", "libcublasLt.so.12"},
          .environment_variable = "FEEDRATE_CUBLASLT",
          .folders = nvidia_folders(),
          .keep_loaded = true};  // Its kernels stay in the CUDA context.
}

Library::Library(const LibrarySearch& search)
    : loaded_(require_api(search, "cuBLASLt, which trainer gemm and cnn need",
                          "it is part of the CUDA toolkit, and of Python's nvidia-cublas",
                          look_up)) {}

std::string describe() try { return Library().name(); } catch (const DeviceError& error) {
  return error.what();
}

void Library::check(int status, std::string_view call) {
  if (status == kSuccess) return;
  throw DeviceError(fmt::format("cuBLASLt: {}: status {} ({})", call, status, name_of(status)));
}

}  // namespace feedrate::cublaslt
