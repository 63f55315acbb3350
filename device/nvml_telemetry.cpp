// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_telemetry.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/statistics.h"

namespace feedrate {
namespace {

struct Reason {
  std::uint64_t bit;
  std::string_view words;
};

// nvmlClocksEventReasons without idle (0x1), the user's (0x2) and the display's (0x100) clocks.
constexpr std::array<Reason, 6> kReasons = {{{0x4, "power limit"},
                                             {0x8, "hardware slowdown"},
                                             {0x10, "sync boost with other GPUs"},
                                             {0x20, "temperature (software)"},
                                             {0x40, "temperature (hardware)"},
                                             {0x80, "power brake of the server"}}};

template <typename Value>
std::vector<double> values_of(const std::vector<GpuReading>& readings,
                              std::optional<Value> GpuReading::*field) {
  std::vector<double> values;
  for (const GpuReading& reading : readings) {
    if (reading.*field) values.push_back(static_cast<double>(*(reading.*field)));
  }
  return values;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return mean(values);
}

std::optional<double> max_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

std::optional<double> min_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return *std::min_element(values.begin(), values.end());
}

template <typename Value>
std::optional<Value> largest(const std::vector<GpuReading>& readings,
                             std::optional<Value> GpuReading::*field) {
  std::optional<Value> found;
  for (const GpuReading& reading : readings) found = std::max(found, reading.*field);
  return found;
}

void add_throttling(const std::vector<GpuReading>& readings, GpuTelemetry& telemetry) {
  std::size_t known = 0;
  std::size_t throttled = 0;
  std::uint64_t seen = 0;
  for (const GpuReading& reading : readings) {
    if (!reading.throttle_bits) continue;
    ++known;
    seen |= *reading.throttle_bits;
    if (!throttle_words(*reading.throttle_bits).empty()) ++throttled;
  }
  if (known == 0) return;
  telemetry.throttled_share = static_cast<double>(throttled) / static_cast<double>(known);
  telemetry.throttle_reasons = throttle_words(seen);
}

}  // namespace

GpuTelemetry summarise(const std::vector<GpuReading>& readings) {
  GpuTelemetry telemetry;
  telemetry.readings = readings.size();
  telemetry.all = readings;
  std::vector<double> utilisation;
  for (const GpuReading& reading : readings) {
    utilisation.insert(utilisation.end(), reading.utilisation.begin(), reading.utilisation.end());
  }
  telemetry.utilisation_mean = mean_of(utilisation);
  telemetry.utilisation_max = max_of(utilisation);
  const std::vector<double> sm_clock = values_of(readings, &GpuReading::sm_clock);
  telemetry.sm_clock_min = min_of(sm_clock);
  telemetry.sm_clock_mean = mean_of(sm_clock);
  telemetry.memory_clock_mean = mean_of(values_of(readings, &GpuReading::memory_clock));
  const std::vector<double> power = values_of(readings, &GpuReading::power);
  telemetry.power_mean = mean_of(power);
  telemetry.power_max = max_of(power);
  telemetry.memory_used_max = largest(readings, &GpuReading::memory_used);
  telemetry.link_generation_max = largest(readings, &GpuReading::link_generation);
  telemetry.link_width_max = largest(readings, &GpuReading::link_width);
  add_throttling(readings, telemetry);
  return telemetry;
}

std::vector<std::string> throttle_words(std::uint64_t bits) {
  std::vector<std::string> words;
  for (const Reason& reason : kReasons) {
    if (bits & reason.bit) words.emplace_back(reason.words);
  }
  return words;
}

std::string link_text(std::optional<unsigned> generation, std::optional<unsigned> width) {
  if (!generation || !width) return "";
  return fmt::format("PCIe {} x{}", *generation, *width);
}

}  // namespace feedrate
