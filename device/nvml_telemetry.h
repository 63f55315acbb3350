// SPDX-License-Identifier: Apache-2.0
// What a GPU's management library says about it, and how readings become figures: plain values and
// pure functions. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

/// What does not change while a program runs. What could not be read is empty.
struct GpuFacts {
  std::string name;
  std::string driver_version;
  std::string best_link;  ///< the PCIe link that GPU and slot could have: "PCIe 4 x16"
  std::optional<std::uint64_t> memory_bytes;
  std::optional<bool> mig;  ///< whether the GPU is divided into instances
  std::optional<bool> ecc;  ///< whether its memory corrects errors, at some cost in speed
};

/// One look at a GPU. What could not be read is empty.
struct GpuReading {
  Nanos at{};                       ///< since the window began
  std::vector<double> utilisation;  ///< 0 to 1, those that are new since the last look
  std::optional<double> sm_clock;   ///< Hz
  std::optional<double> memory_clock;
  std::optional<double> power;  ///< W
  std::optional<unsigned> link_generation;
  std::optional<unsigned> link_width;
  std::optional<std::uint64_t> throttle_bits;
  std::optional<std::uint64_t> memory_used;  ///< bytes, of all processes
};

/// What a window's readings come to. What could not be read is empty.
struct GpuTelemetry {
  std::size_t readings = 0;
  /// Share of time in which at least one kernel ran, however small: blind to how much of the GPU it
  /// used. Of sample periods of 1/6 to 1 s, the first of which may begin before the window.
  std::optional<double> utilisation_mean;
  std::optional<double> utilisation_max;
  std::optional<double> sm_clock_min;  ///< Hz
  std::optional<double> sm_clock_mean;
  std::optional<double> memory_clock_mean;
  std::optional<double> power_mean;  ///< W
  std::optional<double> power_max;
  std::optional<std::uint64_t> memory_used_max;  ///< bytes, of all processes
  std::optional<std::uint64_t> memory_bytes;     ///< as in GpuFacts
  /// Of the PCIe link, the best seen, because an idle GPU lowers its own. See link_text().
  std::optional<unsigned> link_generation_max;
  std::optional<unsigned> link_width_max;
  std::optional<double> throttled_share;      ///< of the readings: clocks were held down
  std::vector<std::string> throttle_reasons;  ///< in words, each once
  std::vector<GpuReading> all;                ///< in the order of time
  double cpu_seconds = 0.0;                   ///< what reading them took of a CPU
};

[[nodiscard]] GpuTelemetry summarise(const std::vector<GpuReading>& readings);

/// Why clocks are held down, in words, of the bits that NVML gives. What does not cost speed is not
/// named: an idle GPU, clocks that the user chose.
[[nodiscard]] std::vector<std::string> throttle_words(std::uint64_t bits);

/// "PCIe 4 x16"; empty if either is not known.
[[nodiscard]] std::string link_text(std::optional<unsigned> generation,
                                    std::optional<unsigned> width);

}  // namespace feedrate
