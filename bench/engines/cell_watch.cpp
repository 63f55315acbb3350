#include "bench/engines/cell_watch.h"

#include <utility>

#include <unistd.h>

namespace feedrate {

CellWatch::CellWatch(const Instruments& instruments, GpuMonitor* monitor, const Device& device)
    : instruments_(instruments), monitor_(monitor), device_(device) {}

CellWatch::~CellWatch() { end_window(); }

ProtocolEvents CellWatch::events() {
  return {.on_warm_up = [this] { begin(); }, .on_window_over = [this] { end_window(); }};
}

Observations CellWatch::finish() {
  end_window();
  if (tracer_) {
    seen_.recorded = RecordedTrace{tracer_->stop(), recorded_from_, ::gettid()};
    tracer_.reset();
  }
  return std::move(seen_);
}

void CellWatch::begin() {
  if (instruments_.start_tracing) {
    TracerStarted started = instruments_.start_tracing(device_.info());
    tracer_ = std::move(started.tracer);
    seen_.problem = std::move(started.problem);
    recorded_from_ = device_.clock().now();
  }
  if (monitor_ == nullptr) return;
  monitor_->start(kMonitorPeriod);
  is_monitoring_ = true;
}

void CellWatch::end_window() {
  if (!std::exchange(is_monitoring_, false)) return;
  seen_.telemetry = monitor_->stop();
}

}  // namespace feedrate
