// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/observers/observers.h"

#include <utility>
#include <vector>

#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class AllObservers final : public StartObserver {
 public:
  void add(std::unique_ptr<StartObserver> observer) { all_.push_back(std::move(observer)); }

  void before_loader() override { call_all(&StartObserver::before_loader); }
  void begin_window() override { call_all(&StartObserver::begin_window); }
  void end_window() override { call_all(&StartObserver::end_window); }
  void device_idle() override { call_all(&StartObserver::device_idle); }
  void after_loader(StartReport& report) override {
    for (const auto& one : all_) one->after_loader(report);
  }

 private:
  void call_all(void (StartObserver::*what)()) {
    for (const auto& one : all_) ((*one).*what)();
  }

  std::vector<std::unique_ptr<StartObserver>> all_;
};

// A cell that discards its batches does not use the GPU.
void add_gpu_observers(AllObservers& all, const StartContext& start, const ObserverOptions& options,
                       GpuMonitors& monitors) {
  if (!start.cell.trains()) return;
  if (start.device != nullptr && options.instruments.start_tracing) {
    all.add(make_gpu_trace_observer(start, options.instruments.start_tracing));
  }
  if (GpuMonitor* const monitor = monitors.find(start.cell.device)) {
    all.add(make_gpu_monitor_observer(*monitor));
  }
}

}  // namespace

std::unique_ptr<StartObserver> make_observers(const StartContext& start,
                                              const ObserverOptions& options,
                                              GpuMonitors& monitors) {
  auto all = std::make_unique<AllObservers>();
  all->add(make_loader_figures_observer());
  all->add(make_staging_observer(start));
  all->add(make_page_cache_observer(start));
  all->add(make_gemm_peak_observer(start));
  all->add(make_io_counters_observer(start));
  add_gpu_observers(*all, start, options, monitors);
  // It follows the GPU's monitor, because it writes the GPU's telemetry as series.
  all->add(make_machine_monitor_observer(start, options.monitor));
  // It comes last because it reads the figures of the others.
  if (options.on_profile) {
    all->add(make_profile_observer(start, options.profile, options.on_profile));
  }
  return all;
}

}  // namespace feedrate
