// Kernels for a device beyond a burn. Plain values and an opaque handle.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "device/precision.h"

namespace feedrate {

/// C = A B, `count` times: A is m × k, B is k × n.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 1;
  friend bool operator==(const Gemm&, const Gemm&) = default;
};

/// Floating point operations: a multiplication and an addition are two.
[[nodiscard]] double flops_of(std::span<const Gemm> gemms);

/// Bytes of device memory that one product reads and writes at least.
[[nodiscard]] double bytes_of(const Gemm& gemm, Precision precision);

/// Kernels that are prepared once and launched any number of times, on one stream at a time. Must
/// die before its device, and not while the device still runs it.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
};

/// What each byte of an image becomes, per channel: all that normalising 8 bits can give.
using PixelValues = std::array<std::array<float, 256>, 3>;

/// RGB images, one after another.
struct ImageBatch {
  std::size_t images = 0;
  std::size_t pixels = 0;  ///< of one image

  /// Bytes, and numbers after normalising.
  [[nodiscard]] std::size_t values() const noexcept { return images * pixels * 3; }
};

}  // namespace feedrate
