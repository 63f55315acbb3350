// SPDX-License-Identifier: Apache-2.0
// Kernels for a device beyond a burn. Plain values and an opaque handle.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/image_plan.h"
#include "core/units.h"
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

/// An image in a buffer: RGB bytes, height × width × channel, and what is to become of it.
struct PlannedImage {
  std::size_t offset = 0;  ///< of its first byte
  ImagePlan plan{};
};

/// What a batch of planned images becomes: float32, channel × height × width each.
struct ImageOutput {
  std::int32_t height = 0;
  std::int32_t width = 0;

  /// Of one image.
  [[nodiscard]] std::size_t values() const noexcept {
    return 3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
};

/// A JPEG file in host memory, and where its pixels go in a buffer.
struct EncodedImage {
  Bytes file;
  std::size_t offset = 0;
  std::int32_t height = 0;  ///< as its header says
  std::int32_t width = 0;

  /// Of its pixels.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return 3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
};

}  // namespace feedrate
