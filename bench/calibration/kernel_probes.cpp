// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/kernel_probes.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "bench/trainers/step_work.h"
#include "core/error.h"
#include "formats/datasets/synthetic_image.h"
#include "loaders/decode/encoder.h"

namespace feedrate {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::size_t kCopies = 8;
constexpr Nanos kShortBurn = microseconds(200);
constexpr Nanos kBurst = milliseconds(10);  // before power and heat lower the clock

// Counts bytes read and written. The difference of two counts cancels fixed costs.
double traffic_rate(DeviceTimer& timer, const DeviceBuffer& source, const DeviceBuffer& target) {
  const auto time_of = [&](std::size_t copies) {
    return timer.behind_gate([&] {
      for (std::size_t i = 0; i < copies; ++i) timer.stream().copy_on_device(target, source);
    });
  };
  const Nanos longer = time_of(5 * kCopies) - time_of(kCopies);
  const double bytes = 2.0 * static_cast<double>(source.size()) * 4.0 * kCopies;
  return bytes / std::max(to_seconds(longer), 1e-12);
}

// A burn ends by the device's timer, so a coarse timer lengthens short steps.
DeviceFinding short_burns(Device& device) {
  DeviceTimer timer(device, 1);
  std::array<double, 9> us{};
  for (double& each : us) {
    each = 1e6 * to_seconds(timer.behind_gate([&] { timer.stream().burn(kShortBurn); }));
  }
  std::sort(us.begin(), us.end());
  return {"burn of 200 µs lasts",
          fmt::format("{:.1f} µs, of nine {:.1f} to {:.1f} µs", us[4], us.front(), us.back())};
}

// Pixels per second including host work, as a training loop waits for it.
double jpeg_rate(Device& device, std::vector<DeviceFinding>& findings) {
  constexpr std::size_t kFiles = 128;
  constexpr int kBatches = 8;
  constexpr ImageShape kShape{512, 512, 3};
  Image image;
  draw_synthetic_image(kShape, {}, RandomStream(0), image);
  const std::vector<std::byte> file = encode_jpeg(image, 90);
  std::vector<EncodedImage> batch;
  for (std::size_t i = 0; i < kFiles; ++i) {
    batch.push_back({file, i * kShape.size(), kShape.height, kShape.width});
  }
  const auto decoder = device.open_jpeg_decoder();
  const DeviceBuffer pixels = device.allocate(kFiles * kShape.size());
  const auto decode = [&](int batches) {
    for (int i = 0; i < batches; ++i) decoder->decode(device.default_stream(), pixels, batch);
    device.synchronize();
    return device.clock().now();
  };
  const Nanos warm = decode(1);
  const double seconds = to_seconds(decode(kBatches) - warm);
  findings.push_back({"nvJPEG", decoder->name()});  // After decoding: the hardware may have failed.
  return kBatches * kFiles * static_cast<double>(kShape.size()) / 3 / std::max(seconds, 1e-12);
}

}  // namespace

void probe_kernels(Device& device, DeviceTimer& timer, const DeviceBuffer& one,
                   const DeviceBuffer& other, DeviceCalibration& result) {
  SimulatedDeviceSpec& spec = result.spec;
  result.findings.push_back(short_burns(device));
  spec.efficiency = 1.0;
  spec.memory_rate = traffic_rate(timer, one, other);
  for (const Precision precision : precisions()) {
    double& rate = spec.peak_flops.*peak_of(precision);
    try {
      const double burst = measure_gemm_peak(device, precision, kBurst);
      rate = measure_gemm_peak(device, precision);
      result.findings.push_back({fmt::format("products in {} for 10 ms", to_string(precision)),
                                 fmt::format("{:.1f} TFLOP/s; for 100 ms, as in the preset, {:.1f}",
                                             burst * 1e-12, rate * 1e-12)});
    } catch (const DeviceError& error) {  // A lost device fails again at the next call.
      rate = 0;
      result.findings.push_back(
          {fmt::format("products in {}: not measured", to_string(precision)), error.what()});
    }
  }
  try {
    spec.jpeg_rate = jpeg_rate(device, result.findings);
  } catch (const Error& error) {  // FormatError, too: the decoder may refuse the file.
    spec.jpeg_rate = 0;
    result.findings.push_back({"nvJPEG: not measured", error.what()});
  }
}

}  // namespace feedrate
