// Rates and costs of real machines. Figures that nobody measured are called estimates in `source`.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

using std::chrono::nanoseconds;

constexpr double kGB = 1e9;
constexpr std::size_t kGigabyte = 1'000'000'000;

// dask-cuda issue 106: 11.6 ms for 32 MB, 0.36 ms/MiB; cudf issue 23457: 492 ms/GiB, 0.48 ms/MiB.
constexpr double kPinFast = 0.36e-3 / (1 << 20);
constexpr double kPinSlow = 0.48e-3 / (1 << 20);
constexpr Nanos kPinBase{20'000};

std::array<SimulatedDeviceSpec, 4> make_presets() {
  const SimulatedDeviceSpec v100{
      .name = "v100-pcie3",
      .source =
          "H2D 12: BaM issue 54; pageable 5-6: dask-cuda issue 98; "
          "pinning: dask-cuda issue 106; D2H and call costs are estimates",
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
      .memory_bytes = 32 * kGigabyte};
  const SimulatedDeviceSpec a100{
      .name = "a100-pcie4",
      .source =
          "H2D 25: BaM issue 54, nvbandwidth issue 42; D2H 26: nvbandwidth issue 15 (PCIe 4 "
          "x16); pinning: cudf issue 23457; pageable rate and call costs are estimates",
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
      .memory_bytes = 80 * kGigabyte};
  const SimulatedDeviceSpec h100{
      .name = "h100-pcie5",
      .source =
          "H2D and D2H 55: estimates from nvbandwidth issue 24 (52.8, copied by a kernel); "
          "pinning: cudf issue 23457; pageable rate and call costs are estimates",
      .h2d_rate = 55.0 * kGB,
      .d2h_rate = 55.0 * kGB,
      .pageable_rate = 12.0 * kGB,
      .copy_latency = nanoseconds(5'000),
      .launch_latency = nanoseconds(2'500),
      .copy_call = nanoseconds(3'500),
      .launch_call = nanoseconds(2'500),
      .event_call = nanoseconds(900),
      .pin_base = kPinBase,
      .pin_seconds_per_byte = kPinSlow,
      .memory_bytes = 80 * kGigabyte};
  SimulatedDeviceSpec h200 = h100;
  h200.name = "h200";
  h200.source = "not measured yet: the figures of h100-pcie5 with the memory of an H200";
  h200.memory_bytes = 141 * kGigabyte;
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
  std::vector<std::string_view> names;
  std::transform(presets.begin(), presets.end(), std::back_inserter(names),
                 [](const auto& preset) { return std::string_view(preset.name); });
  throw ConfigError(
      fmt::format("sim:{}: no such simulated device; there are: {}", name, fmt::join(names, ", ")));
}

}  // namespace feedrate
