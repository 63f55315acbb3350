// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/instruments.h"

#include <algorithm>

#include <fmt/format.h>

#include "device/cuda/cupti_tracer.h"

namespace feedrate {
namespace {

TracerStarted start_tracing(const DeviceInfo& device) {
  return device.backend == "cuda" ? start_activity_tracing() : TracerStarted();
}

// NVML finds a device by its PCI bus id.
std::unique_ptr<GpuMonitor> open_monitor(const std::map<std::string, DeviceInfo>& devices,
                                         const std::string& name) {
  const auto known = devices.find(name);
  if (known == devices.end() || known->second.pci_bus_id.empty()) return nullptr;
  return open_gpu_monitor(known->second.pci_bus_id).monitor;
}

void add_tracer(InstrumentsChosen& chosen) {
  const TracerStarted tried = start_activity_tracing();
  if (!tried.tracer) {
    chosen.facts.push_back({"cupti", tried.problem});
    chosen.note = fmt::format("Timelines show the GPU from feedrate's events, not from CUPTI: {}",
                              tried.problem);
    return;
  }
  chosen.facts.push_back({"cupti", tried.library});
  chosen.warnings.emplace_back(
      "Cells were traced by CUPTI, which adds overhead to every call and kernel: take rates from a "
      "sweep without --trace.");
  chosen.instruments.start_tracing = start_tracing;
}

}  // namespace

InstrumentsChosen choose_instruments(const std::map<std::string, DeviceInfo>& devices, bool trace) {
  InstrumentsChosen chosen;
  const bool is_real = std::any_of(devices.begin(), devices.end(), [](const auto& device) {
    return device.second.backend == "cuda";
  });
  if (!is_real) return chosen;
  if (trace) add_tracer(chosen);
  chosen.facts.push_back({"nvml", describe_nvml()});
  chosen.instruments.open_monitor = [devices](const std::string& name) {
    return open_monitor(devices, name);
  };
  return chosen;
}

GpuMonitor* GpuMonitors::find(const std::string& device) {
  if (!open_) return nullptr;
  const auto [known, is_new] = opened_.try_emplace(device);
  if (is_new) known->second = open_(device);
  return known->second.get();
}

}  // namespace feedrate
