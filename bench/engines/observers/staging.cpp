// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class Staging final : public StartObserver {
 public:
  explicit Staging(std::optional<double> seconds) : seconds_(seconds) {}

  void after_loader(StartReport& report) override {
    if (seconds_) report.add("staging_time", *seconds_);
  }

 private:
  const std::optional<double> seconds_;
};

}  // namespace

std::unique_ptr<StartObserver> make_staging_observer(const StartContext& start) {
  return std::make_unique<Staging>(start.cell.cached_loader ? std::nullopt : start.staging_time);
}

}  // namespace feedrate
