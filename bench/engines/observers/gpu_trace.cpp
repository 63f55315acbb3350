// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

void add_copies(StartReport& report, const ActivityTrace& trace, HostMemory memory) {
  const PinnedEvidence evidence = pinned_evidence(trace.activities);
  if (evidence.copies > 0) {
    report.add("pinned_copies",
               static_cast<double>(evidence.pinned) / static_cast<double>(evidence.copies));
  }
  if (memory == HostMemory::kPinned && evidence.pinned < evidence.copies) {
    report.warnings.emplace_back(
        "CUPTI recorded copies from pageable memory with pin_memory: true: see pinned_copies.");
  }
  if (memory == HostMemory::kPageable && evidence.pinned > 0) {
    report.warnings.emplace_back(
        "CUPTI recorded copies from pinned memory with pin_memory: false: see pinned_copies.");
  }
}

class GpuTrace final : public StartObserver {
 public:
  GpuTrace(Device& device, HostMemory memory,
           std::function<TracerStarted(const DeviceInfo&)> start_tracing)
      : device_(device), memory_(memory), start_tracing_(std::move(start_tracing)) {}

  void begin_window() override {
    TracerStarted started = start_tracing_(device_.info());
    tracer_ = std::move(started.tracer);
    problem_ = std::move(started.problem);
    from_ = device_.clock().now();
  }

  void device_idle() override {
    if (!tracer_) return;
    recorded_ = RecordedTrace{tracer_->stop(), from_, ::gettid()};
    tracer_.reset();
  }

  void after_loader(StartReport& report) override {
    if (!problem_.empty()) {
      report.warnings.push_back(fmt::format("Cells were not traced by CUPTI: {}", problem_));
    }
    if (!recorded_) return;
    const std::vector<std::string> incomplete = warnings(recorded_->trace);
    report.warnings.insert(report.warnings.end(), incomplete.begin(), incomplete.end());
    add_copies(report, recorded_->trace, memory_);
    report.recorded = std::move(recorded_);
  }

 private:
  Device& device_;
  const HostMemory memory_;
  const std::function<TracerStarted(const DeviceInfo&)> start_tracing_;
  std::unique_ptr<ActivityTracer> tracer_;
  Nanos from_{};
  std::string problem_;
  std::optional<RecordedTrace> recorded_;
};

}  // namespace

std::unique_ptr<StartObserver> make_gpu_trace_observer(
    const StartContext& start, std::function<TracerStarted(const DeviceInfo&)> start_tracing) {
  return std::make_unique<GpuTrace>(*start.device, start.cell.loader.memory,
                                    std::move(start_tracing));
}

}  // namespace feedrate
