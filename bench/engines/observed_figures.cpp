#include "bench/engines/observed_figures.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/result.h"

namespace feedrate {
namespace {

// NVML's samples are of 1/6 to 1 s and the first may begin before the window: below 2 s they say
// little, and two figures that are less than this apart may both be right.
constexpr std::size_t kEnoughReadings = 20;
constexpr double kContradiction = 0.3;

class Figures {
 public:
  template <typename Value>
  void add(const char* tag, const std::optional<Value>& value) {
    if (value) metrics_.push_back({tag, static_cast<double>(*value)});
  }
  void add(const GpuTelemetry& telemetry) {
    add("nvml_utilisation", telemetry.utilisation_mean);
    add("nvml_utilisation_max", telemetry.utilisation_max);
    add("sm_clock", telemetry.sm_clock_mean);
    add("sm_clock_min", telemetry.sm_clock_min);
    add("memory_clock", telemetry.memory_clock_mean);
    add("gpu_power", telemetry.power_mean);
    add("gpu_power_max", telemetry.power_max);
    add("gpu_memory_max", telemetry.memory_used_max);
    add("gpu_throttled", telemetry.throttled_share);
    add("pcie_generation_max", telemetry.link_generation_max);
    add("pcie_width_max", telemetry.link_width_max);
  }
  void add(const ActivityTrace& trace) {
    const PinnedEvidence evidence = pinned_evidence(trace.activities);
    if (evidence.copies == 0) return;
    metrics_.push_back({"pinned_copies", static_cast<double>(evidence.pinned) /
                                             static_cast<double>(evidence.copies)});
  }
  std::vector<Metric> take() { return std::move(metrics_); }

 private:
  std::vector<Metric> metrics_;
};

class Doubts {
 public:
  void add_telemetry(const GpuTelemetry& telemetry, const std::vector<Metric>& metrics) {
    if (!telemetry.throttle_reasons.empty()) {
      add("The GPU's clocks were held down while cells were measured ({}): see gpu_throttled.",
          fmt::join(telemetry.throttle_reasons, ", "));
    }
    const double* busy = find_metric(metrics, "gpu_busy");
    if (!busy || !telemetry.utilisation_mean || telemetry.readings < kEnoughReadings) return;
    const double more = *telemetry.utilisation_mean - *busy;
    if (more > kContradiction) {
      add("NVML saw the GPU far busier than feedrate's kernels kept it, as if another program used "
          "it: compare nvml_utilisation with gpu_busy.");
    }
    if (more < -kContradiction) {
      add("NVML saw the GPU far less busy than the events say: compare nvml_utilisation with "
          "gpu_busy.");
    }
  }

  void add_copies(const ActivityTrace& trace, HostMemory memory) {
    const PinnedEvidence evidence = pinned_evidence(trace.activities);
    if (memory == HostMemory::kPinned && evidence.pinned < evidence.copies) {
      add("CUPTI saw copies that did not come from pinned memory with pin_memory: true: see "
          "pinned_copies.");
    }
    if (memory == HostMemory::kPageable && evidence.pinned > 0) {
      add("CUPTI saw copies that came from pinned memory with pin_memory: false: see "
          "pinned_copies.");
    }
  }

  template <typename... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    doubts_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }
  void add_all(const std::vector<std::string>& doubts) {
    doubts_.insert(doubts_.end(), doubts.begin(), doubts.end());
  }
  std::vector<std::string> take() { return std::move(doubts_); }

 private:
  std::vector<std::string> doubts_;
};

}  // namespace

std::vector<Metric> observed_metrics(const Observations& seen) {
  Figures figures;
  if (seen.recorded) figures.add(seen.recorded->trace);
  if (seen.telemetry) figures.add(*seen.telemetry);
  return figures.take();
}

std::vector<std::string> observed_doubts(const Observations& seen,
                                         const std::vector<Metric>& metrics, HostMemory memory) {
  Doubts found;
  if (!seen.problem.empty()) found.add("Cells were not traced by CUPTI: {}", seen.problem);
  if (seen.recorded) {
    found.add_all(doubts(seen.recorded->trace));
    found.add_copies(seen.recorded->trace, memory);
  }
  if (seen.telemetry) found.add_telemetry(*seen.telemetry, metrics);
  return found.take();
}

}  // namespace feedrate
