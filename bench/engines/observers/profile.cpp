// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class ProfiledStart final : public StartObserver {
 public:
  ProfiledStart(const StartContext& start, const ProfileSchedule& schedule, OnProfile on_profile)
      : cell_(start.cell),
        device_info_(start.device_info),
        schedule_(schedule),
        on_profile_(std::move(on_profile)) {}

  void after_loader(StartReport& report) override {
    on_profile_(make_run_profile(cell_, report.measurement, report.repeat, device_info_(),
                                 report.loader_name, schedule_,
                                 report.recorded ? &*report.recorded : nullptr));
  }

 private:
  const CellSpec& cell_;
  const std::function<DeviceInfo()> device_info_;
  const ProfileSchedule schedule_;
  const OnProfile on_profile_;
};

}  // namespace

std::unique_ptr<StartObserver> make_profile_observer(const StartContext& start,
                                                     const ProfileSchedule& schedule,
                                                     OnProfile on_profile) {
  return std::make_unique<ProfiledStart>(start, schedule, std::move(on_profile));
}

}  // namespace feedrate
