// SPDX-License-Identifier: Apache-2.0
// A fake NVML whose answers a test sets. The test loads the file that it names in
// FEEDRATE_NVML_PATH and calls its fake_nvml(). Members that change during a window are atomic.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "device/nvml_library.h"

namespace feedrate::testing {

struct FakeNvml {
  // The answers.
  std::map<std::string, int> results;  ///< by function name without "nvml"; default: 0
  std::string bus_id = "0000:17:00.0";
  std::string gpu_name = "NVIDIA Fake 80GB";
  std::string driver = "580.65.06";
  unsigned mig = 0;
  unsigned ecc = 1;
  unsigned utilisation = 0;           ///< percent, result of UtilizationRates
  std::vector<nvml::Sample> samples;  ///< percent, samples kept by the driver
  unsigned sample_type = nvml::kUnsignedInt;
  std::atomic<unsigned> sm_clock = 1410;
  std::atomic<unsigned> memory_clock = 1593;
  std::atomic<unsigned> milliwatts = 250'000;
  std::atomic<unsigned> link_generation = 4;
  std::atomic<unsigned> link_width = 16;
  std::atomic<unsigned long long> reasons = 0;
  std::atomic<unsigned long long> used = 1'000'000;

  // The recorded calls.
  std::atomic<int> inits = 0;
  std::atomic<int> shutdowns = 0;
  std::atomic<int> calls = 0;
  std::atomic<int> readings = 0;   ///< complete readings: calls of the last function of a reading
  std::atomic<int> calls_now = 0;  ///< calls in progress
  std::atomic<int> most_calls_at_once = 0;
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNvml* fake_nvml();
extern "C" void fake_nvml_reset();
