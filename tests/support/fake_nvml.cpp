// SPDX-License-Identifier: Apache-2.0
// FAKE_NVML_OLD omits functions newer than driver 450, FAKE_NVML_BROKEN functions that every
// version has.
#include "tests/support/fake_nvml.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

using feedrate::NvmlDevice;
using feedrate::testing::FakeNvml;
namespace nvml = feedrate::nvml;

namespace {

std::unique_ptr<FakeNvml>& current() {
  static auto fake = std::make_unique<FakeNvml>();
  return fake;
}

/// Counts a call, and gives concurrent calls a chance to overlap.
class Call {
 public:
  explicit Call(const char* name) : fake_(*current()) {
    const auto found = fake_.results.find(name);
    if (found != fake_.results.end()) result = found->second;
    ++fake_.calls;
    const int now = ++fake_.calls_now;
    int most = fake_.most_calls_at_once;
    while (most < now && !fake_.most_calls_at_once.compare_exchange_weak(most, now)) {
    }
    std::this_thread::yield();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { --fake_.calls_now; }

  int result = nvml::kSuccess;

 private:
  FakeNvml& fake_;
};

template <typename Value, typename Target>
int give(const char* name, const Value& value, Target* target) {
  const Call call(name);
  if (call.result == nvml::kSuccess) *target = value;
  return call.result;
}

int give_text(const char* name, const std::string& value, char* text, unsigned size) {
  const Call call(name);
  if (value.size() >= size) return 7;
  if (call.result == nvml::kSuccess) std::memcpy(text, value.c_str(), value.size() + 1);
  return call.result;
}

}  // namespace

extern "C" {

FakeNvml* fake_nvml() { return current().get(); }
void fake_nvml_reset() { current() = std::make_unique<FakeNvml>(); }

#ifndef FAKE_NVML_BROKEN
int nvmlInit_v2() {
  const Call call("Init_v2");
  if (call.result == nvml::kSuccess) ++current()->inits;
  return call.result;
}
#endif

int nvmlShutdown() {
  const Call call("Shutdown");
  ++current()->shutdowns;
  return call.result;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, NvmlDevice* device) {
  if (current()->bus_id != bus_id) return nvml::kNotFound;
  return give("DeviceGetHandleByPciBusId_v2", reinterpret_cast<NvmlDevice>(current().get()),
              device);
}

const char* nvmlErrorString(int result) { return result == 9 ? "Driver Not Loaded" : "Not Found"; }

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return give_text("SystemGetDriverVersion", current()->driver, text, size);
}

int nvmlDeviceGetName(NvmlDevice, char* text, unsigned size) {
  return give_text("DeviceGetName", current()->gpu_name, text, size);
}

int nvmlDeviceGetEccMode(NvmlDevice, unsigned* now, unsigned* pending) {
  *pending = 0;
  return give("DeviceGetEccMode", current()->ecc, now);
}

int nvmlDeviceGetMaxPcieLinkGeneration(NvmlDevice, unsigned* value) {
  return give("DeviceGetMaxPcieLinkGeneration", 5U, value);
}

int nvmlDeviceGetMaxPcieLinkWidth(NvmlDevice, unsigned* value) {
  return give("DeviceGetMaxPcieLinkWidth", 16U, value);
}

int nvmlDeviceGetCurrPcieLinkGeneration(NvmlDevice, unsigned* value) {
  return give("DeviceGetCurrPcieLinkGeneration", current()->link_generation.load(), value);
}

int nvmlDeviceGetCurrPcieLinkWidth(NvmlDevice, unsigned* value) {
  return give("DeviceGetCurrPcieLinkWidth", current()->link_width.load(), value);
}

int nvmlDeviceGetClockInfo(NvmlDevice, unsigned type, unsigned* megahertz) {
  const bool is_sm = type == nvml::kSmClock;
  return give("DeviceGetClockInfo",
              is_sm ? current()->sm_clock.load() : current()->memory_clock.load(), megahertz);
}

int nvmlDeviceGetPowerUsage(NvmlDevice, unsigned* milliwatts) {
  return give("DeviceGetPowerUsage", current()->milliwatts.load(), milliwatts);
}

int nvmlDeviceGetUtilizationRates(NvmlDevice, nvml::Utilisation* rates) {
  return give("DeviceGetUtilizationRates", nvml::Utilisation{current()->utilisation, 0}, rates);
}

int nvmlDeviceGetMemoryInfo(NvmlDevice, nvml::Memory* memory) {
  const unsigned long long used = current()->used;
  const int result =
      give("DeviceGetMemoryInfo", nvml::Memory{80'000'000, 80'000'000 - used, used}, memory);
  ++current()->readings;
  return result;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* reasons) {
  return give("DeviceGetCurrentClocksThrottleReasons", current()->reasons.load(), reasons);
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice, unsigned long long* reasons) {
  return give("DeviceGetCurrentClocksEventReasons", current()->reasons.load(), reasons);
}

int nvmlDeviceGetMigMode(NvmlDevice, unsigned* now, unsigned* pending) {
  *pending = 0;
  return give("DeviceGetMigMode", current()->mig, now);
}

int nvmlDeviceGetSamples(NvmlDevice, unsigned type, unsigned long long since, unsigned* value_type,
                         unsigned* count, nvml::Sample* samples) {
  const Call call("DeviceGetSamples");
  if (call.result != nvml::kSuccess) return call.result;
  if (type != nvml::kUtilisationSamples) return 2;
  const auto& kept = current()->samples;
  const auto first = std::find_if(kept.begin(), kept.end(), [since](const nvml::Sample& sample) {
    return sample.microseconds > since;
  });
  if (first == kept.end()) return nvml::kNotFound;
  const auto fresh = static_cast<unsigned>(kept.end() - first);
  if (samples != nullptr) std::copy_n(first, std::min(fresh, *count), samples);
  *count = samples != nullptr ? std::min(fresh, *count) : static_cast<unsigned>(kept.size());
  *value_type = current()->sample_type;
  return nvml::kSuccess;
}
#endif
}
