// SPDX-License-Identifier: Apache-2.0
// Durations of kernels on a simulated device: the longer of arithmetic and memory traffic, each at
// the preset's rate (a roofline). Pure functions.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "device/simulated/simulated_device.h"
#include "device/work.h"

namespace feedrate {

/// Duration of one product. REQUIRES: the preset has that precision
[[nodiscard]] Nanos gemm_time(const SimulatedDeviceSpec& spec, const Gemm& gemm,
                              Precision precision);
/// Each byte is read and written.
[[nodiscard]] Nanos device_copy_time(const SimulatedDeviceSpec& spec, std::size_t size);
[[nodiscard]] Nanos normalize_time(const SimulatedDeviceSpec& spec, const ImageBatch& batch);

/// Each box is read and each result written.
[[nodiscard]] Nanos transform_time(const SimulatedDeviceSpec& spec,
                                   std::span<const PlannedImage> images, const ImageOutput& output);
/// REQUIRES: spec.jpeg_rate > 0
[[nodiscard]] Nanos decode_time(const SimulatedDeviceSpec& spec,
                                std::span<const EncodedImage> images);

/// Transforms the bytes as Device::transform() does.
void transform_images(const std::byte* source, std::byte* target,
                      std::span<const PlannedImage> images, const ImageOutput& output,
                      const PixelValues& values);
/// Normalizes the bytes as Device::normalize() does.
void normalize_images(const std::byte* source, std::byte* target, const ImageBatch& batch,
                      const PixelValues& values);

/// A sequence of launches, each given by the total duration of its kernels.
class SimulatedWork final : public DeviceWork {
 public:
  explicit SimulatedWork(std::vector<Nanos> launches) : launches_(std::move(launches)) {}
  [[nodiscard]] const std::vector<Nanos>& launches() const noexcept { return launches_; }

 private:
  std::vector<Nanos> launches_;
};

/// Makes one launch per product. Throws DeviceError if the preset lacks the precision.
[[nodiscard]] std::unique_ptr<SimulatedWork> make_simulated_gemms(const SimulatedDeviceSpec& spec,
                                                                  std::span<const Gemm> gemms,
                                                                  Precision precision);

}  // namespace feedrate
