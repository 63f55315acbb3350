// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class GemmPeak final : public StartObserver {
 public:
  explicit GemmPeak(std::function<double()> peak) : peak_(std::move(peak)) {}

  void after_loader(StartReport& report) override {
    const double* const reached = find_metric(report.repeat.metrics, "flops_per_second");
    if (reached != nullptr && peak_) report.add("flops_of_peak", *reached / peak_());
  }

 private:
  const std::function<double()> peak_;
};

}  // namespace

std::unique_ptr<StartObserver> make_gemm_peak_observer(const StartContext& start) {
  return std::make_unique<GemmPeak>(start.gemm_peak);
}

}  // namespace feedrate
