// SPDX-License-Identifier: Apache-2.0
// The functions of NVML (NVIDIA's management library, part of the driver) that feedrate uses,
// declared here and opened at run time.
#pragma once
#include <mutex>
#include <string>

#include "core/shared_library.h"

namespace feedrate {

struct NvmlGpu;
using NvmlDevice = NvmlGpu*;

/// nvmlReturn_t, nvmlClockType_t, nvmlSamplingType_t, nvmlValueType_t by value.
namespace nvml {
inline constexpr int kSuccess = 0;
inline constexpr int kNotFound = 6;
inline constexpr unsigned kSmClock = 1;
inline constexpr unsigned kMemoryClock = 2;
inline constexpr unsigned kUtilisationSamples = 1;
inline constexpr unsigned kUnsignedInt = 1;

struct Utilisation {
  unsigned gpu;  ///< percent of the last sample period in which a kernel ran
  unsigned memory;
};
struct Sample {
  unsigned long long microseconds;
  unsigned long long value;  ///< a union; its first bytes hold an unsigned int
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// NVML's functions without the prefix of their names; all but the first three may be null.
struct Api {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle_by_pci_bus_id)(const char* bus_id, NvmlDevice* device) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*driver_version)(char* text, unsigned size) = nullptr;
  int (*name)(NvmlDevice, char* text, unsigned size) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned* now, unsigned* pending) = nullptr;
  int (*ecc_mode)(NvmlDevice, unsigned* now, unsigned* pending) = nullptr;
  int (*memory_info)(NvmlDevice, Memory*) = nullptr;
  int (*max_link_generation)(NvmlDevice, unsigned*) = nullptr;
  int (*max_link_width)(NvmlDevice, unsigned*) = nullptr;
  int (*link_generation)(NvmlDevice, unsigned*) = nullptr;
  int (*link_width)(NvmlDevice, unsigned*) = nullptr;
  int (*clock_info)(NvmlDevice, unsigned type, unsigned* mhz) = nullptr;
  int (*power_usage)(NvmlDevice, unsigned* milliwatts) = nullptr;
  int (*throttle_reasons)(NvmlDevice, unsigned long long* bits) = nullptr;
  int (*utilisation)(NvmlDevice, Utilisation*) = nullptr;
  int (*samples)(NvmlDevice, unsigned type, unsigned long long since, unsigned* value_type,
                 unsigned* count, Sample* samples) = nullptr;
};
}  // namespace nvml

/// Initializes NVML, and shuts it down at the end. Safe from any thread: a process-wide mutex
/// serializes all calls, because some NVML versions are not thread-safe.
class Nvml {
 public:
  /// Tries the file that FEEDRATE_NVML_PATH names, else libnvidia-ml.so.1. See problem().
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  /// Why NVML cannot be used; empty if it can. REQUIRES for all functions below: empty
  [[nodiscard]] const std::string& problem() const noexcept { return loaded_.problem; }
  [[nodiscard]] const nvml::Api& api() const noexcept { return loaded_.api; }
  /// "libnvidia-ml.so.1"
  [[nodiscard]] const std::string& name() const noexcept { return loaded_.file.name(); }

  /// Calls `function`, one of api(), and returns its result; -1 if the library lacks it.
  template <typename Function, typename... Args>
  [[nodiscard]] int call(Function* function, Args... args) const {
    if (function == nullptr) return -1;
    const std::lock_guard lock(mutex());
    return function(args...);
  }
  /// "Not Supported (3)"
  [[nodiscard]] std::string describe(int result) const;

 private:
  static std::mutex& mutex() noexcept;

  LoadedApi<nvml::Api> loaded_;
  bool is_initialized_ = false;
};

}  // namespace feedrate
