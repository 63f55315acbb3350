#include "bench/calibration/kernel_probes.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "trainers/step_work.h"

namespace feedrate {
namespace {

constexpr std::size_t kCopies = 8;

// Bytes read and bytes written count; by the difference of two counts, so that no fixed cost does.
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

}  // namespace

void probe_kernels(Device& device, DeviceTimer& timer, const DeviceBuffer& one,
                   const DeviceBuffer& other, DeviceCalibration& result) {
  SimulatedDeviceSpec& spec = result.spec;
  spec.efficiency = 1.0;
  spec.memory_rate = traffic_rate(timer, one, other);
  for (const Precision precision : precisions()) {
    double& rate = spec.peak_flops.*peak_of(precision);
    try {
      rate = measure_gemm_peak(device, precision);
    } catch (const DeviceError& error) {  // A device that is lost says so again at the next call.
      rate = 0;
      result.findings.push_back(
          {fmt::format("products in {}: not measured", to_string(precision)), error.what()});
    }
  }
}

}  // namespace feedrate
