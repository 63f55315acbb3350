// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/device_preset.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/plan/values.h"
#include "bench/plan/yaml_file.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

struct NumberKey {
  std::string_view key;
  double SimulatedDeviceSpec::*value;
  double unit;  ///< factor from the file's number to the spec's
  double least;
  double most;
  std::string_view help;
  bool may_lack = false;
};

struct ProductKey {
  std::string_view key;
  double PeakFlops::*value;
  bool may_lack = false;
};

struct TimeKey {
  std::string_view key;
  Nanos SimulatedDeviceSpec::*value;
  std::string_view help;
};

struct CountKey {
  std::string_view key;
  std::size_t SimulatedDeviceSpec::*value;
  std::string_view help;
};

using Spec = SimulatedDeviceSpec;

constexpr NumberKey kNumbers[] = {
    {"h2d_gb_per_s", &Spec::h2d_rate, 1e9, 1e-3, 1e5, "pinned, host to device; 1 GB = 1e9 bytes"},
    {"d2h_gb_per_s", &Spec::d2h_rate, 1e9, 1e-3, 1e5, "pinned, device to host"},
    {"pageable_gb_per_s", &Spec::pageable_rate, 1e9, 1e-3, 1e5, "host to device, staging included"},
    {"pin_ms_per_mib", &Spec::pin_seconds_per_byte, 1e-3 / (1 << 20), 0.0, 1e4,
     "page-locking with cudaHostAlloc, in addition to pin_base"},
    {"memory_gb_per_s", &Spec::memory_rate, 1e9, 1e-3, 1e6, "device memory"},
    {"jpeg_mpixel_per_s", &Spec::jpeg_rate, 1e6, 0.0, 1e6,
     "nvJPEG decoding rate, 1 Mpixel = 1e6; 0: no nvJPEG, or not measured", true},
    {"efficiency", &Spec::efficiency, 1.0, 1e-3, 1.0,
     "share of memory_gb_per_s and *_tflop_per_s that large kernels reach; 1 if measured"},
};

constexpr ProductKey kProducts[] = {
    {"fp32_tflop_per_s", &PeakFlops::fp32},     {"tf32_tflop_per_s", &PeakFlops::tf32},
    {"bf16_tflop_per_s", &PeakFlops::bf16},     {"fp16_tflop_per_s", &PeakFlops::fp16},
    {"fp8_tflop_per_s", &PeakFlops::fp8, true},
};

constexpr TimeKey kTimes[] = {
    {"copy_latency_us", &Spec::copy_latency, "from issue to the first byte"},
    {"launch_latency_us", &Spec::launch_latency, "from issue to the kernel's start"},
    {"copy_call_us", &Spec::copy_call, "host time of issuing a copy"},
    {"launch_call_us", &Spec::launch_call, "host time of issuing a kernel"},
    {"event_call_us", &Spec::event_call, "host time of recording or waiting"},
    {"pin_base_us", &Spec::pin_base, "page-locking: per call"},
};

constexpr CountKey kCounts[] = {
    {"memory_bytes", &Spec::memory_bytes, "of the device"},
    {"queue_depth", &Spec::queue_depth, "operations queued in a stream before a call blocks"},
};

constexpr std::string_view kAutoSpins = "auto_spins";

// Older presets have the key; it is ignored.
constexpr std::string_view kOldKey = "register_ms_per_mib";

// No calibration writes this key; tests of a lost device do.
constexpr std::string_view kLostAfter = "lost_after_launches";

constexpr double kTera = 1e12;
constexpr double kMostTera = 1e6;
constexpr double kMaxPresetMicroseconds = 1e9;
constexpr std::int64_t kMostCount = std::int64_t{1} << 60;

const ConfigNode& entry(const ConfigNode& root, std::string_view key) {
  return required(root, "the preset", key);
}

std::vector<std::string_view> known_keys() {
  std::vector<std::string_view> keys = {"name", "source", kOldKey};
  for (const NumberKey& number : kNumbers) keys.push_back(number.key);
  for (const ProductKey& product : kProducts) keys.push_back(product.key);
  for (const TimeKey& time : kTimes) keys.push_back(time.key);
  for (const CountKey& count : kCounts) keys.push_back(count.key);
  keys.push_back(kAutoSpins);
  keys.push_back(kLostAfter);
  return keys;
}

}  // namespace

std::string to_yaml(const SimulatedDeviceSpec& spec) {
  std::string text = fmt::format(
      "# Cost of copies, calls and kernels on a GPU. Written by `feedrate calibrate`; used by "
      "`device: sim:FILE.yaml`.\n"
      "name: {}\n"
      "source: {}\n",
      in_quotes(spec.name), in_quotes(spec.source));
  const auto line = [&](std::string_view key, const std::string& value, std::string_view help) {
    text += fmt::format("{}: {}  # {}\n", key, value, help);
  };
  for (const NumberKey& number : kNumbers) {
    line(number.key, fmt::format("{:.4f}", spec.*number.value / number.unit), number.help);
  }
  for (const ProductKey& product : kProducts) {
    line(product.key, fmt::format("{:.4f}", spec.peak_flops.*product.value / kTera),
         "large matrix products; 0: not supported, or not measured");
  }
  for (const TimeKey& time : kTimes) {
    line(time.key, fmt::format("{:.3f}", to_seconds(spec.*time.value) * 1e6), time.help);
  }
  for (const CountKey& count : kCounts) {
    line(count.key, fmt::format("{}", spec.*count.value), count.help);
  }
  line(kAutoSpins, fmt::format("{}", spec.auto_spins),
       "waiting for the device keeps a core busy; default false");
  return text;
}

SimulatedDeviceSpec parse_device_preset(const std::string& text, const std::string& file_name) {
  const ConfigNode root = parse_yaml(text, file_name);
  check_keys(root, "", known_keys());
  SimulatedDeviceSpec spec{};
  spec.name = text_value(entry(root, "name"), "name");
  spec.source = text_value(entry(root, "source"), "source");
  for (const NumberKey& number : kNumbers) {
    if (number.may_lack && root.find(std::string(number.key)) == nullptr) continue;
    spec.*number.value =
        number.unit * number_value(entry(root, number.key), number.key, number.least, number.most);
  }
  for (const ProductKey& product : kProducts) {
    if (product.may_lack && root.find(std::string(product.key)) == nullptr) continue;
    spec.peak_flops.*product.value =
        kTera * number_value(entry(root, product.key), product.key, 0.0, kMostTera);
  }
  for (const TimeKey& time : kTimes) {
    spec.*time.value = from_seconds(
        1e-6 * number_value(entry(root, time.key), time.key, 0.0, kMaxPresetMicroseconds));
  }
  for (const CountKey& count : kCounts) {
    spec.*count.value =
        static_cast<std::size_t>(integer_value(entry(root, count.key), count.key, 1, kMostCount));
  }
  if (const ConfigNode* spins = root.find(std::string(kAutoSpins))) {
    spec.auto_spins = bool_value(*spins, kAutoSpins);
  }
  if (const ConfigNode* lost = root.find(std::string(kLostAfter))) {
    spec.lost_after_launches =
        static_cast<std::size_t>(integer_value(*lost, kLostAfter, 1, kMostCount));
  }
  return spec;
}

SimulatedDeviceSpec load_device_preset(const std::filesystem::path& file) {
  try {
    return parse_device_preset(read_whole_file(file), file.string());
  } catch (const SystemError& error) {
    throw ConfigError(fmt::format(
        "device: {}; write a preset with `feedrate calibrate --device cuda`", error.what()));
  }
}

}  // namespace feedrate
