// SPDX-License-Identifier: Apache-2.0
// Figures of NVML: plain values, and pure functions that summarize readings. A field that could not
// be read is empty. Safe from any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

/// Facts that do not change while a program runs.
struct GpuFacts {
  std::string name;
  std::string driver_version;
  std::string best_link;  ///< the fastest PCIe link of GPU and slot: "PCIe 4 x16"
  std::optional<std::uint64_t> memory_bytes;
  std::optional<bool> mig;  ///< whether the GPU is divided into instances
  std::optional<bool> ecc;  ///< whether its memory corrects errors, which costs some speed
};

struct GpuReading {
  Nanos at{};                       ///< time since the window began
  std::vector<double> utilisation;  ///< 0 to 1, samples since the previous reading
  std::optional<double> sm_clock;   ///< Hz
  std::optional<double> memory_clock;
  std::optional<double> power;  ///< W
  std::optional<unsigned> link_generation;
  std::optional<unsigned> link_width;
  std::optional<std::uint64_t> throttle_bits;
  std::optional<std::uint64_t> memory_used;  ///< bytes, of all processes
};

/// The summary of a window's readings.
struct GpuTelemetry {
  std::size_t readings = 0;
  /// Share of time in which at least one kernel ran; it does not say how much of the GPU was used.
  /// NVML's sample periods take 1/6 to 1 s, and the first may begin before the window.
  std::optional<double> utilisation_mean;
  std::optional<double> utilisation_max;
  std::optional<double> sm_clock_min;  ///< Hz
  std::optional<double> sm_clock_mean;
  std::optional<double> memory_clock_mean;
  std::optional<double> power_mean;  ///< W
  std::optional<double> power_max;
  std::optional<std::uint64_t> memory_used_max;  ///< bytes, of all processes
  std::optional<std::uint64_t> memory_bytes;
  /// The best PCIe link seen, because an idle GPU lowers it. See link_text().
  std::optional<unsigned> link_generation_max;
  std::optional<unsigned> link_width_max;
  std::optional<double> throttled_share;      ///< share of the readings with throttled clocks
  std::vector<std::string> throttle_reasons;  ///< each once
  std::vector<GpuReading> all;                ///< sorted by time
  double cpu_seconds = 0.0;                   ///< CPU time of the readings
};

[[nodiscard]] GpuTelemetry summarise(const std::vector<GpuReading>& readings);

/// The reasons for throttled clocks, in words, by NVML's bits. Reasons that cost no speed (an idle
/// GPU, clocks that the user chose) are omitted.
[[nodiscard]] std::vector<std::string> throttle_words(std::uint64_t bits);

/// Returns "PCIe 4 x16"; empty if either is unknown.
[[nodiscard]] std::string link_text(std::optional<unsigned> generation,
                                    std::optional<unsigned> width);

}  // namespace feedrate
