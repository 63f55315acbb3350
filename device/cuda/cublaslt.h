// SPDX-License-Identifier: Apache-2.0
// NVIDIA's library for matrix products, opened at run time, because it takes half a gigabyte and
// only `trainer: gemm` and `cnn` need it. The functions in use are declared here, so that the build
// needs neither its header nor the library; cuda_gemms.cpp checks the declarations against the
// header where there is one. Needs no CUDA header. Calls are safe from any thread, as the library's
// are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/shared_library.h"

struct CUstream_st;

namespace feedrate::cublaslt {

// All enumerators and opaque pointers by value; see cublasLt.h and library_types.h.
inline constexpr int kSuccess = 0;
inline constexpr int kFloat32 = 0;            // CUDA_R_32F
inline constexpr int kFloat16 = 2;            // CUDA_R_16F
inline constexpr int kBfloat16 = 14;          // CUDA_R_16BF
inline constexpr int kFloat8 = 28;            // CUDA_R_8F_E4M3
inline constexpr int kCompute32 = 68;         // CUBLAS_COMPUTE_32F
inline constexpr int kComputeTf32 = 77;       // CUBLAS_COMPUTE_32F_FAST_TF32
inline constexpr int kTransposeA = 3;         // CUBLASLT_MATMUL_DESC_TRANSA
inline constexpr int kTransposed = 1;         // CUBLAS_OP_T
inline constexpr int kMaxWorkspaceBytes = 1;  // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

struct Algorithm {
  std::uint64_t data[8];
};

struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace_size;
  int state;
  float waves;
  int reserved[4];
};

/// The library's functions, without their prefix.
struct Functions {
  int (*Create)(void** handle);
  int (*Destroy)(void* handle);
  int (*MatmulDescCreate)(void** desc, int compute, int scale_type);
  int (*MatmulDescSetAttribute)(void* desc, int attribute, const void* value, std::size_t size);
  int (*MatmulDescDestroy)(void* desc);
  int (*MatrixLayoutCreate)(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                            std::int64_t leading_dimension);
  int (*MatrixLayoutDestroy)(void* layout);
  int (*MatmulPreferenceCreate)(void** preference);
  int (*MatmulPreferenceSetAttribute)(void* preference, int attribute, const void* value,
                                      std::size_t size);
  int (*MatmulPreferenceDestroy)(void* preference);
  int (*MatmulAlgoGetHeuristic)(void* handle, void* desc, void* a, void* b, void* c, void* d,
                                void* preference, int wanted, Heuristic* results, int* found);
  int (*Matmul)(void* handle, void* desc, const void* alpha, const void* a, void* a_layout,
                const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                void* d, void* d_layout, const Algorithm* algorithm, void* workspace,
                std::size_t workspace_size, CUstream_st* stream);
};

/// "libcublasLt.so.13", or why it cannot be loaded.
[[nodiscard]] std::string describe();

[[nodiscard]] LibrarySearch library_search();

class Library {
 public:
  /// Takes hundreds of milliseconds. Throws DeviceError that lists the tried files and a remedy.
  explicit Library(const LibrarySearch& search = library_search());

  [[nodiscard]] const Functions& functions() const noexcept { return loaded_.api; }
  [[nodiscard]] const std::string& name() const noexcept { return loaded_.file.name(); }
  /// Throws DeviceError if `status` is not kSuccess.
  static void check(int status, std::string_view call);

 private:
  LoadedApi<Functions> loaded_;
};

}  // namespace feedrate::cublaslt
