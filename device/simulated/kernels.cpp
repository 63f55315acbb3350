// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/kernels.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "device/planned_pixel.h"

namespace feedrate {
namespace {

Nanos memory_time(const SimulatedDeviceSpec& spec, double bytes) {
  return from_seconds(bytes / (spec.memory_rate * spec.efficiency));
}

}  // namespace

Nanos gemm_time(const SimulatedDeviceSpec& spec, const Gemm& gemm, Precision precision) {
  const Gemm once{gemm.m, gemm.n, gemm.k, 1};
  const double rate = peak_flops(spec, precision) * spec.efficiency;
  return std::max(from_seconds(flops_of(std::span<const Gemm>(&once, 1)) / rate),
                  memory_time(spec, bytes_of(gemm, precision)));
}

Nanos device_copy_time(const SimulatedDeviceSpec& spec, std::size_t size) {
  return memory_time(spec, 2.0 * static_cast<double>(size));
}

Nanos normalize_time(const SimulatedDeviceSpec& spec, const ImageBatch& batch) {
  return memory_time(spec, static_cast<double>(batch.values()) * (1 + sizeof(float)));
}

Nanos transform_time(const SimulatedDeviceSpec& spec, std::span<const PlannedImage> images,
                     const ImageOutput& output) {
  double bytes = static_cast<double>(images.size() * output.values() * sizeof(float));
  for (const PlannedImage& image : images) {
    bytes += 3.0 * image.plan.box_height * image.plan.box_width;
  }
  return memory_time(spec, bytes);
}

Nanos decode_time(const SimulatedDeviceSpec& spec, std::span<const EncodedImage> images) {
  double pixels = 0;
  for (const EncodedImage& image : images) pixels += static_cast<double>(image.bytes()) / 3;
  return from_seconds(pixels / spec.jpeg_rate);
}

void transform_images(const std::byte* source, std::byte* target,
                      std::span<const PlannedImage> images, const ImageOutput& output,
                      const PixelValues& values) {
  const std::size_t pixels = output.values() / 3;
  auto* numbers = reinterpret_cast<float*>(target);
  for (const auto& [offset, plan] : images) {
    const auto* const image = reinterpret_cast<const std::uint8_t*>(source + offset);
    for (std::size_t at = 0; at < pixels; ++at) {
      const int y = static_cast<int>(at) / output.width;
      const int x = static_cast<int>(at) % output.width;
      std::uint8_t pixel[3]{};
      if (plan.height > 0) make_planned_pixel(image, plan, output.width, y, x, pixel);
      for (std::size_t c = 0; c < 3; ++c) {
        numbers[c * pixels + at] = plan.height > 0 ? values[c][pixel[c]] : 0.0F;
      }
    }
    numbers += output.values();
  }
}

void normalize_images(const std::byte* source, std::byte* target, const ImageBatch& batch,
                      const PixelValues& values) {
  constexpr std::size_t kChannels = 3;
  for (std::size_t image = 0; image < batch.images; ++image) {
    for (std::size_t pixel = 0; pixel < batch.pixels; ++pixel) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        const std::size_t from = (image * batch.pixels + pixel) * kChannels + c;
        const std::size_t to = (image * kChannels + c) * batch.pixels + pixel;
        const float value = values[c][std::to_integer<std::size_t>(source[from])];
        std::memcpy(target + to * sizeof(float), &value, sizeof(float));
      }
    }
  }
}

std::unique_ptr<SimulatedWork> make_simulated_gemms(const SimulatedDeviceSpec& spec,
                                                    std::span<const Gemm> gemms,
                                                    Precision precision) {
  const std::string why_not = why_no_precision(spec, precision);
  if (!why_not.empty()) throw DeviceError(why_not);
  std::vector<Nanos> launches;
  for (const Gemm& gemm : gemms) {
    launches.insert(launches.end(), static_cast<std::size_t>(gemm.count),
                    gemm_time(spec, gemm, precision));
  }
  return std::make_unique<SimulatedWork>(std::move(launches));
}

}  // namespace feedrate
