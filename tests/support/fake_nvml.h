// SPDX-License-Identifier: Apache-2.0
// An NVML whose answers a test sets. The test opens the same file that it names in
// FEEDRATE_NVML_PATH and asks it for fake_nvml(). What changes while a window is open is atomic.
#pragma once
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "device/nvml_library.h"

namespace feedrate::testing {

struct FakeNvml {
  // What it answers.
  std::map<std::string, int> results;  ///< by function without "nvml"; 0 otherwise
  std::string bus_id = "0000:17:00.0";
  std::string gpu_name = "NVIDIA Fake 80GB";
  std::string driver = "580.65.06";
  unsigned mig = 0;
  unsigned ecc = 1;
  unsigned utilisation = 0;           ///< percent, of UtilizationRates
  std::vector<nvml::Sample> samples;  ///< percent, what the driver keeps
  unsigned sample_type = nvml::kUnsignedInt;
  std::atomic<unsigned> sm_clock = 1410;
  std::atomic<unsigned> memory_clock = 1593;
  std::atomic<unsigned> milliwatts = 250'000;
  std::atomic<unsigned> link_generation = 4;
  std::atomic<unsigned> link_width = 16;
  std::atomic<unsigned long long> reasons = 0;
  std::atomic<unsigned long long> used = 1'000'000;

  // What it was asked.
  std::atomic<int> inits = 0;
  std::atomic<int> shutdowns = 0;
  std::atomic<int> calls = 0;
  std::atomic<int> readings = 0;   ///< whole readings: calls of the last function of one
  std::atomic<int> calls_now = 0;  ///< under way
  std::atomic<int> most_calls_at_once = 0;
};

}  // namespace feedrate::testing

extern "C" feedrate::testing::FakeNvml* fake_nvml();
/// As new.
extern "C" void fake_nvml_reset();
