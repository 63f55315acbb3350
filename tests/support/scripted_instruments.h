// SPDX-License-Identifier: Apache-2.0
// A tracer and a monitor that log their calls, for tests of observers.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "bench/engines/instruments.h"

namespace feedrate::testing {

using InstrumentLog = std::vector<std::string>;

/// Logs "record", and "recorded" in stop().
class ScriptedTracer final : public ActivityTracer {
 public:
  ScriptedTracer(InstrumentLog& log, ActivityTrace trace) : log_(log), trace_(std::move(trace)) {
    log_.emplace_back("record");
  }
  ActivityTrace stop() override {
    log_.emplace_back("recorded");
    return trace_;
  }

 private:
  InstrumentLog& log_;
  ActivityTrace trace_;
};

/// Logs "watch" and "watched".
class ScriptedMonitor final : public GpuMonitor {
 public:
  ScriptedMonitor(InstrumentLog& log, GpuTelemetry telemetry)
      : log_(log), telemetry_(std::move(telemetry)) {}
  const GpuFacts& facts() const noexcept override { return facts_; }
  void start(Nanos) override { log_.emplace_back("watch"); }
  GpuTelemetry stop() override {
    log_.emplace_back("watched");
    return telemetry_;
  }

 private:
  InstrumentLog& log_;
  GpuTelemetry telemetry_;
  GpuFacts facts_;
};

inline std::function<TracerStarted(const DeviceInfo&)> scripted_tracing(InstrumentLog& log,
                                                                        ActivityTrace trace = {}) {
  return [&log, trace](const DeviceInfo&) {
    return TracerStarted{std::make_unique<ScriptedTracer>(log, trace), "scripted", ""};
  };
}

}  // namespace feedrate::testing
