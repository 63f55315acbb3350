// SPDX-License-Identifier: Apache-2.0
#include "device/nvml_monitor.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/clock.h"
#include "core/fork_mutex.h"
#include "device/nvml_library.h"

namespace feedrate {
namespace {

constexpr unsigned kMaxSamples = 4096;  // Drivers keep about a hundred.

class Gpu {
 public:
  Gpu(const Nvml& nvml, NvmlDevice device) : nvml_(nvml), api_(nvml.api()), device_(device) {}

  GpuFacts facts() const {
    GpuFacts facts;
    facts.name = text(api_.name, device_);
    facts.driver_version = text(api_.driver_version);
    facts.best_link = link_text(number(api_.max_link_generation), number(api_.max_link_width));
    facts.memory_bytes = memory(&nvml::Memory::total);
    facts.mig = mode(api_.mig_mode);
    facts.ecc = mode(api_.ecc_mode);
    return facts;
  }

  void skip_old_samples() { static_cast<void>(new_samples()); }

  GpuReading read() {
    GpuReading reading;
    reading.utilisation = utilisation();
    reading.sm_clock = clock(nvml::kSmClock);
    reading.memory_clock = clock(nvml::kMemoryClock);
    if (const auto milliwatts = number(api_.power_usage)) reading.power = *milliwatts * 1e-3;
    reading.link_generation = number(api_.link_generation);
    reading.link_width = number(api_.link_width);
    unsigned long long bits = 0;
    if (succeeds(api_.throttle_reasons, device_, &bits)) reading.throttle_bits = bits;
    reading.memory_used = memory(&nvml::Memory::used);
    return reading;
  }

 private:
  template <typename Function, typename... Args>
  bool succeeds(Function* function, Args... args) const {
    return nvml_.call(function, args...) == nvml::kSuccess;
  }

  template <typename Function, typename... Args>
  std::string text(Function* function, Args... args) const {
    std::array<char, 96> buffer{};
    const auto size = static_cast<unsigned>(buffer.size() - 1);
    return succeeds(function, args..., buffer.data(), size) ? buffer.data() : "";
  }

  std::optional<unsigned> number(int (*function)(NvmlDevice, unsigned*)) const {
    unsigned value = 0;
    if (!succeeds(function, device_, &value)) return std::nullopt;
    return value;
  }

  std::optional<bool> mode(int (*function)(NvmlDevice, unsigned*, unsigned*)) const {
    unsigned now = 0;
    unsigned pending = 0;
    if (!succeeds(function, device_, &now, &pending)) return std::nullopt;
    return now != 0;
  }

  std::optional<std::uint64_t> memory(unsigned long long nvml::Memory::*field) const {
    nvml::Memory bytes{};
    if (!succeeds(api_.memory_info, device_, &bytes)) return std::nullopt;
    return bytes.*field;
  }

  std::optional<double> clock(unsigned type) const {
    unsigned megahertz = 0;
    if (!succeeds(api_.clock_info, device_, type, &megahertz)) return std::nullopt;
    return megahertz * 1e6;
  }

  // The driver's samples are denser and cheaper than frequent queries.
  std::vector<double> utilisation() {
    if (std::optional<std::vector<double>> samples = new_samples()) return *std::move(samples);
    nvml::Utilisation now{};
    if (!succeeds(api_.utilisation, device_, &now)) return {};
    return {now.gpu / 100.0};
  }

  /// Returns nothing if the driver keeps no samples.
  std::optional<std::vector<double>> new_samples() {
    unsigned count = 0;
    unsigned type = 0;
    const int counted = nvml_.call(api_.samples, device_, nvml::kUtilisationSamples, last_sample_,
                                   &type, &count, static_cast<nvml::Sample*>(nullptr));
    if (counted == nvml::kNotFound) return std::vector<double>();
    if (counted != nvml::kSuccess) return std::nullopt;
    count = std::min(count, kMaxSamples);
    std::vector<nvml::Sample> samples(count);
    const int result = nvml_.call(api_.samples, device_, nvml::kUtilisationSamples, last_sample_,
                                  &type, &count, samples.data());
    if (result == nvml::kNotFound) return std::vector<double>();
    if (result != nvml::kSuccess || type != nvml::kUnsignedInt) return std::nullopt;
    samples.resize(std::min<std::size_t>(count, samples.size()));
    return newer(samples);
  }

  std::vector<double> newer(const std::vector<nvml::Sample>& samples) {
    std::vector<double> values;
    const unsigned long long since = last_sample_;
    for (const nvml::Sample& sample : samples) {
      if (sample.microseconds <= since) continue;
      last_sample_ = std::max(last_sample_, sample.microseconds);
      values.push_back(static_cast<unsigned>(sample.value) / 100.0);
    }
    return values;
  }

  const Nvml& nvml_;
  const nvml::Api& api_;
  NvmlDevice device_;
  unsigned long long last_sample_ = 0;
};

class NvmlMonitor final : public GpuMonitor {
 public:
  NvmlMonitor(std::unique_ptr<Nvml> nvml, NvmlDevice device)
      : nvml_(std::move(nvml)), gpu_(*nvml_, device), facts_(gpu_.facts()) {}

  const GpuFacts& facts() const noexcept override { return facts_; }

  void start(Nanos period) override {
    readings_.clear();
    cpu_seconds_ = 0.0;
    started_ = clock_.now();
    gpu_.skip_old_samples();
    has_started_.emplace(1);
    sampler_ = std::jthread([this, period](const std::stop_token& stop) { run(period, stop); });
    has_started_->wait();
  }

  GpuTelemetry stop() override {
    sampler_.request_stop();
    sampler_.join();
    read();
    GpuTelemetry telemetry = summarise(readings_);
    telemetry.memory_bytes = facts_.memory_bytes;
    telemetry.cpu_seconds = cpu_seconds_;
    return telemetry;
  }

 private:
  void run(Nanos period, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    has_started_->count_down();
    do {
      read();
      never.wait_for(lock, stop, period, [] { return false; });
    } while (!stop.stop_requested());
  }

  void read() {
    const std::lock_guard lock(fork_mutex());
    const double cpu_before = to_seconds(thread_cpu_time());
    GpuReading reading = gpu_.read();
    reading.at = clock_.now() - started_;
    readings_.push_back(std::move(reading));
    cpu_seconds_ += to_seconds(thread_cpu_time()) - cpu_before;
  }

  std::unique_ptr<Nvml> nvml_;
  Gpu gpu_;
  GpuFacts facts_;
  SteadyClock clock_;
  Nanos started_{};
  std::vector<GpuReading> readings_;  // Owned by the sampler thread while it runs.
  double cpu_seconds_ = 0.0;          // Owned like readings_.
  std::optional<std::latch>
      has_started_;       // See fork_mutex(): no fork may happen while the thread starts.
  std::jthread sampler_;  // Last: joined before the rest dies.
};

}  // namespace

MonitorOpened open_gpu_monitor(const std::string& pci_bus_id) {
  auto nvml = std::make_unique<Nvml>();
  if (!nvml->problem().empty()) return {.problem = nvml->problem()};
  NvmlDevice device = nullptr;
  const int result = nvml->call(nvml->api().handle_by_pci_bus_id, pci_bus_id.c_str(), &device);
  if (result != nvml::kSuccess) {
    return {.problem = fmt::format("{}: no GPU at {}: {}", nvml->name(), pci_bus_id,
                                   nvml->describe(result))};
  }
  return {.monitor = std::make_unique<NvmlMonitor>(std::move(nvml), device)};
}

std::string describe_nvml() {
  const Nvml nvml;
  if (!nvml.problem().empty()) return nvml.problem();
  std::array<char, 96> version{};
  const int result = nvml.call(nvml.api().driver_version, version.data(),
                               static_cast<unsigned>(version.size() - 1));
  if (result != nvml::kSuccess) return nvml.name();
  return fmt::format("{}: driver {}", nvml.name(), version.data());
}

}  // namespace feedrate
