#include "bench/calibration/kernel_probes.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

// Large enough for the fastest GPU to reach its best; in float32 its matrices take 0.8 GB.
constexpr std::int64_t kSide = 8192;
// So long that the GPU is at the clock which its power limit leaves it, as in training.
constexpr Nanos kSustained = std::chrono::milliseconds(100);
constexpr Nanos::rep kMostRuns = 500;

constexpr std::size_t kPixels = std::size_t{1} << 14;
constexpr std::size_t kTrafficRuns = 16;

double product_rate(Device& device, DeviceTimer& timer, Precision precision) {
  const Gemm gemm{kSide, kSide, kSide, 1};
  const std::span<const Gemm> gemms(&gemm, 1);
  const std::unique_ptr<DeviceWork> work = device.prepare_gemms(gemms, precision);
  const auto time_of = [&](Nanos::rep runs) {
    return timer.behind_gate([&] {
      for (Nanos::rep i = 0; i < runs; ++i) timer.stream().run(*work);
    });
  };
  const Nanos once = std::max(time_of(1), Nanos(1));
  const Nanos::rep runs = std::clamp(kSustained / once, Nanos::rep{1}, kMostRuns);
  return flops_of(gemms) * static_cast<double>(runs) / to_seconds(time_of(runs));
}

// Of normalising, which does little else than read and write; by the difference of two sizes, so
// that no fixed cost counts.
double traffic_rate(DeviceTimer& timer, const DeviceBuffer& source, const DeviceBuffer& target) {
  const ImageBatch large{target.size() / (3 * kPixels * sizeof(float)), kPixels};
  const ImageBatch small{large.images / 4, kPixels};
  const auto values = std::make_unique<const PixelValues>();
  const auto time_of = [&](const ImageBatch& batch) {
    return timer.behind_gate([&] {
      for (std::size_t i = 0; i < kTrafficRuns; ++i) {
        timer.stream().normalize(target, source, batch, *values);
      }
    });
  };
  const Nanos longer = time_of(large) - time_of(small);
  const double bytes =
      static_cast<double>((large.values() - small.values()) * (1 + sizeof(float)) * kTrafficRuns);
  return bytes / std::max(to_seconds(longer), 1e-12);
}

}  // namespace

void probe_kernels(Device& device, DeviceTimer& timer, const DeviceBuffer& one,
                   const DeviceBuffer& other, DeviceCalibration& result) {
  SimulatedDeviceSpec& spec = result.spec;
  spec.efficiency = 1.0;
  spec.memory_rate = traffic_rate(timer, one, other);
  for (const Precision precision : precisions()) {
    double& rate = spec.peak_flops.*peak_of(precision);
    try {
      rate = product_rate(device, timer, precision);
    } catch (const DeviceError& error) {  // A device that is lost says so again at the next call.
      rate = 0;
      result.findings.push_back(
          {fmt::format("products in {}: not measured", to_string(precision)), error.what()});
    }
  }
}

}  // namespace feedrate
