// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cell_monitor.h"
#include "bench/engines/monitor_figures.h"
#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class MachineMonitor final : public StartObserver {
 public:
  explicit MachineMonitor(MonitorOptions options) : options_(std::move(options)) {}

  void before_loader() override { monitor_.emplace(options_); }
  void begin_window() override { monitor_->begin_window(); }
  // Samples memory here, because a child's memory counts and the child ends with its session.
  void end_window() override { monitor_->end_window(); }
  void device_idle() override { record_ = monitor_->finish(); }

  void after_loader(StartReport& report) override {
    add_monitored(report.repeat, record_, report.telemetry);
  }

 private:
  const MonitorOptions options_;
  std::optional<CellMonitor> monitor_;
  MonitorRecord record_;
};

// Whether other ranks on this node may use the same CPUs.
bool shares_cpus(const JobSpec& job) {
  return job.ranks_per_node > 1 && job.affinity == Affinity::none;
}

}  // namespace

std::unique_ptr<StartObserver> make_machine_monitor_observer(const StartContext& start,
                                                             bool whole_machine) {
  return std::make_unique<MachineMonitor>(
      MonitorOptions{.only_memory = !whole_machine,
                     .dataset = start.dataset,
                     .shares_cpus = shares_cpus(start.cell.job)});
}

}  // namespace feedrate
