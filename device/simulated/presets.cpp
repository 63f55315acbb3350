// SPDX-License-Identifier: Apache-2.0
// Rates and costs of real machines. `source` marks figures that were not measured as estimates.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/did_you_mean.h"
#include "core/error.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

using std::chrono::nanoseconds;

constexpr double kGB = 1e9;
constexpr double kTera = 1e12;
constexpr std::size_t kGigabyte = 1'000'000'000;

// NVIDIA's data sheets of V100 SXM2 and A100 SXM4 80 GB: dense, without sparsity. The share of it
// that large kernels reach is an estimate.
constexpr PeakFlops kV100Peak{.fp32 = 15.7 * kTera, .tf32 = 0, .bf16 = 0, .fp16 = 125 * kTera};
constexpr PeakFlops kA100Peak{
    .fp32 = 19.5 * kTera, .tf32 = 156 * kTera, .bf16 = 312 * kTera, .fp16 = 312 * kTera};
// Measured over 100 ms, which brings the clock down to what the power limit allows.
constexpr PeakFlops kH100Products{.fp32 = 51.7 * kTera,
                                  .tf32 = 362.8 * kTera,
                                  .bf16 = 737.2 * kTera,
                                  .fp16 = 685.3 * kTera,
                                  .fp8 = 1307.8 * kTera};

// Source: torchvision pull request 8496, 1,000 images of 551×676 in 127.7 ms, 100 in 13.0 ms.
constexpr double kA100Jpeg = 1000 * 551 * 676 / 0.1277;

// Sources: dask-cuda issue 106, 11.6 ms for 32 MB, 0.36 ms/MiB; cudf issue 23457, 492 ms/GiB, 0.48
// ms/MiB.
constexpr double kPinFast = 0.36e-3 / (1 << 20);
constexpr double kPinSlow = 0.48e-3 / (1 << 20);
constexpr Nanos kPinBase{20'000};

std::array<SimulatedDeviceSpec, 4> make_presets() {
  const SimulatedDeviceSpec v100{
      .name = "v100-pcie3",
      .source =
          "H2D 12: BaM issue 54; pageable 5-6: dask-cuda issue 98; "
          "pinning: dask-cuda issue 106; kernels: NVIDIA's data sheet; D2H, call costs and the "
          "kernels' efficiency are estimates",
      .h2d_rate = 12.0 * kGB,
      .d2h_rate = 12.8 * kGB,
      .pageable_rate = 5.5 * kGB,
      .copy_latency = nanoseconds(8'000),
      .launch_latency = nanoseconds(4'000),
      .copy_call = nanoseconds(5'000),
      .launch_call = nanoseconds(4'000),
      .event_call = nanoseconds(1'200),
      .pin_base = kPinBase,
      .pin_seconds_per_byte = kPinFast,
      .memory_bytes = 32 * kGigabyte,
      .peak_flops = kV100Peak,
      .memory_rate = 900 * kGB,
      .efficiency = 0.8};
  const SimulatedDeviceSpec a100{
      .name = "a100-pcie4",
      .source =
          "H2D 25: BaM issue 54, nvbandwidth issue 42; D2H 26: nvbandwidth issue 15 (PCIe 4 "
          "x16); pinning: cudf issue 23457; kernels: NVIDIA's data sheet; nvJPEG: torchvision pull "
          "request 8496; pageable rate, call costs and the kernels' efficiency are estimates",
      .h2d_rate = 25.0 * kGB,
      .d2h_rate = 26.0 * kGB,
      .pageable_rate = 8.0 * kGB,
      .copy_latency = nanoseconds(6'000),
      .launch_latency = nanoseconds(3'000),
      .copy_call = nanoseconds(4'000),
      .launch_call = nanoseconds(3'000),
      .event_call = nanoseconds(1'000),
      .pin_base = kPinBase,
      .pin_seconds_per_byte = kPinSlow,
      .memory_bytes = 80 * kGigabyte,
      .jpeg_rate = kA100Jpeg,
      .peak_flops = kA100Peak,
      .memory_rate = 2039 * kGB,
      .efficiency = 0.8};
  const SimulatedDeviceSpec h100{
      .name = "h100-pcie5",
      .source =
          "measured by feedrate calibrate on 2026-11-26: NVIDIA H100 80GB HBM3, driver 580, a "
          "virtual machine with 16 CPUs of an Intel Xeon (results/h100-16cpu/2026-11-26-pinning)",
      .h2d_rate = 55.1 * kGB,
      .d2h_rate = 55.2 * kGB,
      .pageable_rate = 7.5 * kGB,
      .copy_latency = nanoseconds(1'638),
      .launch_latency = nanoseconds(3'626),
      .copy_call = nanoseconds(2'874),
      .launch_call = nanoseconds(4'278),
      .event_call = nanoseconds(1'351),
      .pin_base = nanoseconds(190'535),
      .pin_seconds_per_byte = 0.3214e-3 / (1 << 20),
      .memory_bytes = 85'017'493'504,
      .jpeg_rate = 6'239e6,
      .peak_flops = kH100Products,
      .memory_rate = 2'972 * kGB,
      .efficiency = 1.0};
  SimulatedDeviceSpec h200 = h100;
  h200.name = "h200";
  h200.source = "not measured yet: the figures of h100-pcie5 with the memory of an H200";
  h200.memory_bytes = 141 * kGigabyte;
  h200.memory_rate = 4800.0 / 3350.0 * h100.memory_rate;  // The ratio of the data sheets.
  return {v100, a100, h100, h200};
}

}  // namespace

std::span<const SimulatedDeviceSpec> simulated_presets() {
  static const auto presets = make_presets();
  return presets;
}

const SimulatedDeviceSpec& find_simulated_preset(std::string_view name) {
  const auto presets = simulated_presets();
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const auto& preset) { return preset.name == name; });
  if (found != presets.end()) return *found;
  const std::string asked = fmt::format("sim:{}", name);
  std::vector<std::string> names;
  for (const SimulatedDeviceSpec& preset : presets) names.push_back("sim:" + preset.name);
  throw ConfigError(fmt::format("{}: unknown simulated device{}", asked,
                                did_you_mean_or_list(asked, {names.begin(), names.end()})));
}

double PeakFlops::*peak_of(Precision precision) {
  switch (precision) {
    case Precision::kTf32:
      return &PeakFlops::tf32;
    case Precision::kBf16:
      return &PeakFlops::bf16;
    case Precision::kFp16:
      return &PeakFlops::fp16;
    case Precision::kFp8:
      return &PeakFlops::fp8;
    case Precision::kFp32:
      break;
  }
  return &PeakFlops::fp32;
}

double peak_flops(const SimulatedDeviceSpec& spec, Precision precision) {
  return spec.peak_flops.*peak_of(precision);
}

std::string why_no_precision(const SimulatedDeviceSpec& spec, Precision precision) {
  if (peak_flops(spec, precision) > 0) return "";
  std::vector<std::string_view> names;
  for (const Precision known : precisions()) {
    if (peak_flops(spec, known) > 0) names.push_back(to_string(known));
  }
  if (names.empty()) {
    return fmt::format("sim:{}: precision {}: the preset has no rate for matrix products",
                       spec.name, to_string(precision));
  }
  return fmt::format("sim:{}: precision {}: not supported by this GPU; supported: {}", spec.name,
                     to_string(precision), fmt::join(names, ", "));
}

std::string why_no_jpeg_decoder(const SimulatedDeviceSpec& spec) {
  if (spec.jpeg_rate > 0) return {};
  return fmt::format(
      "sim:{}: decoder nvjpeg: the preset has no nvJPEG rate; measure it with `feedrate calibrate` "
      "on such a GPU",
      spec.name);
}

}  // namespace feedrate
