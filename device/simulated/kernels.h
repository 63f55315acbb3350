// SPDX-License-Identifier: Apache-2.0
// How long kernels take on a simulated device: the longer of arithmetic and memory traffic, each at
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

/// Of one product. REQUIRES: the preset has that precision
[[nodiscard]] Nanos gemm_time(const SimulatedDeviceSpec& spec, const Gemm& gemm,
                              Precision precision);
/// Each byte is read and written.
[[nodiscard]] Nanos device_copy_time(const SimulatedDeviceSpec& spec, std::size_t size);
[[nodiscard]] Nanos normalize_time(const SimulatedDeviceSpec& spec, const ImageBatch& batch);

/// Each box is read and each result written.
[[nodiscard]] Nanos transform_time(const SimulatedDeviceSpec& spec,
                                   std::span<const PlannedImage> images, const ImageOutput& output);
/// REQUIRES: the preset has the rate
[[nodiscard]] Nanos decode_time(const SimulatedDeviceSpec& spec,
                                std::span<const EncodedImage> images);

/// What Device::transform() does to the bytes.
void transform_images(const std::byte* source, std::byte* target,
                      std::span<const PlannedImage> images, const ImageOutput& output,
                      const PixelValues& values);
/// What Device::normalize() does to the bytes.
void normalize_images(const std::byte* source, std::byte* target, const ImageBatch& batch,
                      const PixelValues& values);

/// Launches, each with the time that its kernels take together.
class SimulatedWork final : public DeviceWork {
 public:
  explicit SimulatedWork(std::vector<Nanos> launches) : launches_(std::move(launches)) {}
  [[nodiscard]] const std::vector<Nanos>& launches() const noexcept { return launches_; }

 private:
  std::vector<Nanos> launches_;
};

/// One launch a product. Throws DeviceError if the preset has no such arithmetic.
[[nodiscard]] std::unique_ptr<SimulatedWork> make_simulated_gemms(const SimulatedDeviceSpec& spec,
                                                                  std::span<const Gemm> gemms,
                                                                  Precision precision);

}  // namespace feedrate
