// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_gemms.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "device/cuda/cublaslt.h"
#include "device/cuda/cuda_memory.h"
#include "device/cuda/cuda_work.h"
#include "device/cuda/kernels.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
static_assert(feedrate::cublaslt::kSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(feedrate::cublaslt::kFloat32 == CUDA_R_32F);
static_assert(feedrate::cublaslt::kFloat16 == CUDA_R_16F);
static_assert(feedrate::cublaslt::kBfloat16 == CUDA_R_16BF);
static_assert(feedrate::cublaslt::kFloat8 == CUDA_R_8F_E4M3);
static_assert(feedrate::cublaslt::kTransposeA == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(feedrate::cublaslt::kTransposed == CUBLAS_OP_T);
static_assert(feedrate::cublaslt::kCompute32 == CUBLAS_COMPUTE_32F);
static_assert(feedrate::cublaslt::kComputeTf32 == CUBLAS_COMPUTE_32F_FAST_TF32);
static_assert(feedrate::cublaslt::kMaxWorkspaceBytes == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(sizeof(feedrate::cublaslt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(feedrate::cublaslt::Heuristic) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(feedrate::cublaslt::Heuristic, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));
#endif

namespace feedrate {

using cublaslt::Library;

class CudaGemmMaker::Session {
 public:
  Session() { Library::check(library.functions().Create(&handle), "cublasLtCreate"); }
  ~Session() { library.functions().Destroy(handle); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Library library;
  void* handle = nullptr;
};

namespace {

// NVIDIA's recommendation for its current GPUs.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
// Columns begin at multiples of 16 numbers, so at least of 16 bytes, which tensor cores require.
constexpr std::int64_t kAlignment = 16;

// Types of a product, and the masks of its random inputs: random signs and mantissas between 0.5
// and 1, because the GPU draws less power with zeros and runs faster than in training.
struct Format {
  int type;
  int result;
  int compute;
  std::uint32_t random;
  std::uint32_t fixed;
};

Format format_of(Precision precision) {
  switch (precision) {
    case Precision::kTf32:
      return {cublaslt::kFloat32, cublaslt::kFloat32, cublaslt::kComputeTf32, 0x807fffff,
              0x3f000000};
    case Precision::kBf16:
      return {cublaslt::kBfloat16, cublaslt::kBfloat16, cublaslt::kCompute32, 0x807f807f,
              0x3f003f00};
    case Precision::kFp16:
      return {cublaslt::kFloat16, cublaslt::kFloat16, cublaslt::kCompute32, 0x83ff83ff, 0x38003800};
    case Precision::kFp8:
      return {cublaslt::kFloat8, cublaslt::kBfloat16, cublaslt::kCompute32, 0x87878787, 0x30303030};
    case Precision::kFp32:
      break;
  }
  return {cublaslt::kFloat32, cublaslt::kFloat32, cublaslt::kCompute32, 0x807fffff, 0x3f000000};
}

std::int64_t aligned(std::int64_t rows) {
  return (rows + kAlignment - 1) / kAlignment * kAlignment;
}

// Numbers of a matrix in BLAS's column-major order; whole words, since columns are aligned.
std::size_t count_numbers(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(aligned(rows)) * static_cast<std::size_t>(columns);
}

// Kernels for fp8 need A transposed, and each dimension a multiple of 16.
bool is_transposed(Precision precision) { return precision == Precision::kFp8; }

Gemm padded(const Gemm& gemm, Precision precision) {
  if (precision != Precision::kFp8) return gemm;
  return {aligned(gemm.m), aligned(gemm.n), aligned(gemm.k), gemm.count};
}

using Destroyer = int (*)(void*);
struct DestroyBy {
  Destroyer destroy = nullptr;
  void operator()(void* object) const noexcept { destroy(object); }
};
using Owned = std::unique_ptr<void, DestroyBy>;

struct Product {
  Owned desc, a, b, c;
  cublaslt::Algorithm algorithm;
  std::int64_t count;
};

struct Matrices {
  OwnedCudaMemory a, b, c, workspace;
};

class Preparation {
 public:
  Preparation(const Library& library, void* handle, Precision precision)
      : call_(library.functions()),
        handle_(handle),
        precision_(precision),
        format_(format_of(precision)) {
    void* preference = nullptr;
    check(call_.MatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    preference_ = Owned(preference, DestroyBy{call_.MatmulPreferenceDestroy});
    check(call_.MatmulPreferenceSetAttribute(preference, cublaslt::kMaxWorkspaceBytes,
                                             &kWorkspaceBytes, sizeof(kWorkspaceBytes)),
          "cublasLtMatmulPreferenceSetAttribute");
  }

  [[nodiscard]] Product product(const Gemm& asked) const {
    const Gemm gemm = padded(asked, precision_);
    Product made{desc(),
                 is_transposed(precision_) ? layout(gemm.k, gemm.m, format_.type)
                                           : layout(gemm.m, gemm.k, format_.type),
                 layout(gemm.k, gemm.n, format_.type),
                 layout(gemm.m, gemm.n, format_.result),
                 {},
                 gemm.count};
    cublaslt::Heuristic best{};
    int found = 0;
    check(call_.MatmulAlgoGetHeuristic(handle_, made.desc.get(), made.a.get(), made.b.get(),
                                       made.c.get(), made.c.get(), preference_.get(), 1, &best,
                                       &found),
          "cublasLtMatmulAlgoGetHeuristic");
    if (found == 0 || best.state != cublaslt::kSuccess) {
      throw DeviceError(
          fmt::format("cuBLASLt: precision {}: no kernel for a product of {} x {} x {}",
                      to_string(precision_), gemm.m, gemm.n, gemm.k));
    }
    made.algorithm = best.algorithm;
    return made;
  }

 private:
  // Each call may fail on a GPU that lacks the precision.
  void check(int status, std::string_view call) const {
    if (status == cublaslt::kSuccess) return;
    Library::check(status, fmt::format("precision {}: {}", to_string(precision_), call));
  }

  Owned desc() const {
    void* made = nullptr;
    check(call_.MatmulDescCreate(&made, format_.compute, cublaslt::kFloat32),
          "cublasLtMatmulDescCreate");
    Owned owned(made, DestroyBy{call_.MatmulDescDestroy});
    if (is_transposed(precision_)) {
      check(call_.MatmulDescSetAttribute(made, cublaslt::kTransposeA, &cublaslt::kTransposed,
                                         sizeof(int)),
            "cublasLtMatmulDescSetAttribute");
    }
    return owned;
  }

  Owned layout(std::int64_t rows, std::int64_t columns, int type) const {
    void* made = nullptr;
    check(call_.MatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), aligned(rows)),
          "cublasLtMatrixLayoutCreate");
    return Owned(made, DestroyBy{call_.MatrixLayoutDestroy});
  }

  const cublaslt::Functions& call_;
  void* handle_;
  Precision precision_;
  Format format_;
  Owned preference_;
};

OwnedCudaMemory random_matrix(const CudaContext& context, std::size_t bytes, const Format& format) {
  OwnedCudaMemory matrix = allocate_cuda(context, bytes);
  context.check(
      launch_fill(reinterpret_cast<std::uint32_t*>(matrix.get()), bytes / sizeof(std::uint32_t),
                  format.random, format.fixed, cudaStreamLegacy),
      "fill");
  return matrix;
}

Matrices make_matrices(const CudaContext& context, std::span<const Gemm> gemms,
                       Precision precision) {
  std::size_t a = 0, b = 0, c = 0;
  for (const Gemm& asked : gemms) {
    const Gemm gemm = padded(asked, precision);
    const std::size_t of_a =
        is_transposed(precision) ? count_numbers(gemm.k, gemm.m) : count_numbers(gemm.m, gemm.k);
    a = std::max(a, of_a * bytes_of(precision));
    b = std::max(b, count_numbers(gemm.k, gemm.n) * bytes_of(precision));
    c = std::max(c, count_numbers(gemm.m, gemm.n) * result_bytes_of(precision));
  }
  const Format format = format_of(precision);
  Matrices matrices{random_matrix(context, a, format), random_matrix(context, b, format),
                    allocate_cuda(context, c), allocate_cuda(context, kWorkspaceBytes)};
  context.check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return matrices;
}

template <typename Session>
class CudaGemms final : public CudaWork {
 public:
  CudaGemms(std::shared_ptr<const Session> session, Matrices matrices,
            std::vector<Product> products)
      : session_(std::move(session)),
        matrices_(std::move(matrices)),
        products_(std::move(products)) {}

  void launch(CUstream_st* stream) const override {
    for (const Product& product : products_) {
      for (std::int64_t i = 0; i < product.count; ++i) launch(product, stream);
    }
  }

 private:
  void launch(const Product& product, CUstream_st* stream) const {
    const float one = 1.0F;
    const float zero = 0.0F;
    Library::check(session_->library.functions().Matmul(
                       session_->handle, product.desc.get(), &one, matrices_.a.get(),
                       product.a.get(), matrices_.b.get(), product.b.get(), &zero,
                       matrices_.c.get(), product.c.get(), matrices_.c.get(), product.c.get(),
                       &product.algorithm, matrices_.workspace.get(), kWorkspaceBytes, stream),
                   "cublasLtMatmul");
  }

  std::shared_ptr<const Session> session_;
  Matrices matrices_;
  std::vector<Product> products_;
};

}  // namespace

CudaGemmMaker::CudaGemmMaker(const CudaContext& context) : context_(context) {}
CudaGemmMaker::~CudaGemmMaker() = default;

std::unique_ptr<DeviceWork> CudaGemmMaker::prepare(std::span<const Gemm> gemms,
                                                   Precision precision) {
  context_.enter();
  std::shared_ptr<const Session> session;
  {
    const std::lock_guard lock(mutex_);
    if (!session_) session_ = std::make_shared<Session>();
    session = session_;
  }
  const Preparation preparation(session->library, session->handle, precision);
  std::vector<Product> products;
  products.reserve(gemms.size());
  for (const Gemm& gemm : gemms) products.push_back(preparation.product(gemm));
  return std::make_unique<CudaGemms<Session>>(session, make_matrices(context_, gemms, precision),
                                              std::move(products));
}

}  // namespace feedrate
