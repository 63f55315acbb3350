// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/named_device.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "bench/plan/device_preset.h"
#include "core/error.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

std::optional<std::filesystem::path> preset_file(std::string_view name) {
  constexpr std::string_view kPrefix = "sim:";
  if (!name.starts_with(kPrefix) || !name.ends_with(".yaml")) return std::nullopt;
  return std::filesystem::path(name.substr(kPrefix.size()));
}

}  // namespace

std::string resolve_named_device(std::string_view name, const EnvironmentLookup& lookup) {
  if (const auto file = preset_file(name)) {
    static_cast<void>(load_device_preset(*file));
    return std::string(name);
  }
  if (name == kCpuDevice) return std::string(name);
  std::string resolved = resolve_device_name(name);
  const std::string job = batch_job_id(lookup);
  if (name == "auto" && resolved == kFallbackDevice && !job.empty()) {
    throw ConfigError(
        fmt::format("device: auto: job {} has no usable GPU: {}; request one (Slurm: --gpus=1), or "
                    "use a simulated device: --device {}",
                    job, why_no_cuda(), kFallbackDevice));
  }
  return resolved;
}

DeviceInfo named_device_info(std::string_view name) {
  if (name == kCpuDevice) return {.name = "the CPU", .backend = "cpu", .details = "no GPU"};
  SteadyClock clock;
  const auto file = preset_file(name);
  return file ? make_simulated_device(load_device_preset(*file), clock)->info() : device_info(name);
}

std::unique_ptr<Device> open_named_device(std::string_view name, Clock& clock) {
  const auto file = preset_file(name);
  return file ? make_simulated_device(load_device_preset(*file), clock) : open_device(name, clock);
}

std::string why_no_precision_on(std::string_view name, Precision precision) {
  const auto file = preset_file(name);
  return file ? why_no_precision(load_device_preset(*file), precision)
              : why_no_precision(name, precision);
}

std::string why_no_jpeg_decoder_on(std::string_view name) {
  const auto file = preset_file(name);
  return file ? why_no_jpeg_decoder(load_device_preset(*file)) : why_no_jpeg_decoder(name);
}

}  // namespace feedrate
