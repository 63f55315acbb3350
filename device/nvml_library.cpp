// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_library.h"

#include <fmt/format.h>

#include "device/nvidia_folders.h"

namespace feedrate {
namespace {

void look_up(SymbolLoader& loader, nvml::Api& api) {
  loader.required(api.init, "nvmlInit_v2");
  loader.required(api.shutdown, "nvmlShutdown");
  loader.required(api.handle_by_pci_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  loader.optional(api.error_string, "nvmlErrorString");
  loader.optional(api.driver_version, "nvmlSystemGetDriverVersion");
  loader.optional(api.name, "nvmlDeviceGetName");
  loader.optional(api.mig_mode, "nvmlDeviceGetMigMode");
  loader.optional(api.ecc_mode, "nvmlDeviceGetEccMode");
  loader.optional(api.memory_info, "nvmlDeviceGetMemoryInfo");
  loader.optional(api.max_link_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  loader.optional(api.max_link_width, "nvmlDeviceGetMaxPcieLinkWidth");
  loader.optional(api.link_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  loader.optional(api.link_width, "nvmlDeviceGetCurrPcieLinkWidth");
  loader.optional(api.clock_info, "nvmlDeviceGetClockInfo");
  loader.optional(api.power_usage, "nvmlDeviceGetPowerUsage");
  loader.optional(api.utilisation, "nvmlDeviceGetUtilizationRates");
  loader.optional(api.samples, "nvmlDeviceGetSamples");
  loader.optional(api.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (api.throttle_reasons == nullptr) {  // The name before driver 535.
    loader.optional(api.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
}

}  // namespace

Nvml::Nvml()
    : loaded_(load_api<nvml::Api>({.names = {"libnvidia-ml.so.1"},
                                   .environment_variable = "FEEDRATE_NVML_PATH",
                                   .folders = nvidia_folders()},
                                  look_up)) {
  if (!problem().empty()) return;
  const int result = call(api().init);
  is_initialized_ = result == nvml::kSuccess;
  if (!is_initialized_) {
    loaded_.problem =
        fmt::format("{}: loaded, but cannot be initialized: {}", name(), describe(result));
  }
}

Nvml::~Nvml() {
  if (is_initialized_) static_cast<void>(call(api().shutdown));
}

std::string Nvml::describe(int result) const {
  if (api().error_string == nullptr) return fmt::format("error {}", result);
  const std::lock_guard lock(mutex());
  const char* text = api().error_string(result);
  return fmt::format("{} ({})", text ? text : "error", result);
}

std::mutex& Nvml::mutex() noexcept {
  static std::mutex mutex;
  return mutex;
}

}  // namespace feedrate
