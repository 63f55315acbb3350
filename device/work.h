// SPDX-License-Identifier: Apache-2.0
// Work for a device other than a burn: plain values and an opaque handle.
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

/// Floating point operations; a multiplication and an addition are two.
[[nodiscard]] double flops_of(std::span<const Gemm> gemms);

/// The least bytes of device memory that one product reads and writes.
[[nodiscard]] double bytes_of(const Gemm& gemm, Precision precision);

/// Kernels that are prepared once and launched any number of times, on one stream at a time. Must
/// be destroyed before its device, and not while the device runs it.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
};

/// The float value of each byte, per channel: normalizing 8 bits gives no other values.
using PixelValues = std::array<std::array<float, 256>, 3>;

struct ImageBatch {
  std::size_t images = 0;
  std::size_t pixels = 0;  ///< of one image

  /// The number of bytes, and of floats after normalizing.
  [[nodiscard]] std::size_t values() const noexcept { return images * pixels * 3; }
};

/// An image in a buffer, RGB bytes, height × width × channel, and its transform.
struct PlannedImage {
  std::size_t offset = 0;  ///< of the first byte in the buffer
  ImagePlan plan{};
};

/// The shape of each transformed image: float32, channel × height × width.
struct ImageOutput {
  std::int32_t height = 0;
  std::int32_t width = 0;

  /// Floats of one image.
  [[nodiscard]] std::size_t values() const noexcept {
    return 3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
};

/// A JPEG file in host memory, and the offset of its pixels in a buffer.
struct EncodedImage {
  Bytes file;
  std::size_t offset = 0;
  std::int32_t height = 0;  ///< from its header
  std::int32_t width = 0;

  /// Bytes of its pixels.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return 3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  }
};

}  // namespace feedrate
