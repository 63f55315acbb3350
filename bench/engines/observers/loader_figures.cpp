// SPDX-License-Identifier: Apache-2.0
#include "analysis/aggregate.h"
#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class LoaderFigures final : public StartObserver {
 public:
  void after_loader(StartReport& report) override {
    report.add("pinned_memory", static_cast<double>(report.pinned_bytes));
    if (!report.batches_per_epoch) return;
    report.add("batches_per_epoch", static_cast<double>(*report.batches_per_epoch));
    add_job_time(report.repeat);
    report.add("samples_dropped", static_cast<double>(report.samples_dropped));
  }
};

}  // namespace

std::unique_ptr<StartObserver> make_loader_figures_observer() {
  return std::make_unique<LoaderFigures>();
}

}  // namespace feedrate
