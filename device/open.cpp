// SPDX-License-Identifier: Apache-2.0
#include "device/open.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/did_you_mean.h"
#include "core/error.h"
#include "core/parse_number.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/nvjpeg_library.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";
constexpr std::string_view kSimulatedPrefix = "sim:";

std::string_view after(std::string_view name, std::string_view prefix) {
  return name.substr(prefix.size());
}

std::optional<int> parse_index(std::string_view digits) {
  const std::optional<int> index = parse_number<int>(digits);
  return index && *index >= 0 ? index : std::nullopt;
}

}  // namespace

std::string resolve_device_name(std::string_view name) {
  if (name == "auto") return std::string(why_no_cuda().empty() ? "cuda:0" : kFallbackDevice);
  if (name == "cuda") return "cuda:0";
  if (name.starts_with(kCudaPrefix) && parse_index(after(name, kCudaPrefix))) {
    return std::string(name);
  }
  if (name.starts_with(kSimulatedPrefix)) {
    static_cast<void>(find_simulated_preset(after(name, kSimulatedPrefix)));
    return std::string(name);
  }
  const std::vector<std::string> known = known_devices();
  throw ConfigError(fmt::format("device '{}': unknown{}", name,
                                did_you_mean_or_list(name, {known.begin(), known.end()})));
}

std::unique_ptr<Device> open_device(std::string_view name, Clock& clock) {
  const std::string resolved = resolve_device_name(name);
  if (resolved.starts_with(kSimulatedPrefix)) {
    return make_simulated_device(find_simulated_preset(after(resolved, kSimulatedPrefix)), clock);
  }
  return make_cuda_device(*parse_index(after(resolved, kCudaPrefix)), clock);
}

DeviceInfo device_info(std::string_view name) {
  const std::string resolved = resolve_device_name(name);
  if (resolved.starts_with(kCudaPrefix)) {
    return cuda_device_info(*parse_index(after(resolved, kCudaPrefix)));
  }
  SteadyClock clock;
  return open_device(resolved, clock)->info();
}

void release_device(std::string_view name) {
  const std::string resolved = resolve_device_name(name);
  if (resolved.starts_with(kCudaPrefix)) {
    end_cuda_context(*parse_index(after(resolved, kCudaPrefix)));
  }
}

std::string why_no_precision(std::string_view name, Precision precision) {
  const std::string resolved = resolve_device_name(name);
  if (resolved.starts_with(kSimulatedPrefix)) {
    return why_no_precision(find_simulated_preset(after(resolved, kSimulatedPrefix)), precision);
  }
  const auto capability = cuda_compute_capability(*parse_index(after(resolved, kCudaPrefix)));
  return capability ? why_no_precision(precision, capability->major, capability->minor) : "";
}

std::string why_no_jpeg_decoder(std::string_view name) {
  const std::string resolved = resolve_device_name(name);
  return resolved.starts_with(kSimulatedPrefix)
             ? why_no_jpeg_decoder(find_simulated_preset(after(resolved, kSimulatedPrefix)))
             : nvjpeg::why_not_found();
}

std::vector<std::string> known_devices() {
  std::vector<std::string> names = {"auto", "cuda", "cuda:N"};
  for (const auto& preset : simulated_presets())
    names.push_back(fmt::format("sim:{}", preset.name));
  return names;
}

std::string why_no_cuda() { return probe_cuda().problem; }

}  // namespace feedrate
