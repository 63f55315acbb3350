// SPDX-License-Identifier: Apache-2.0
// Makes the observers of a start. One thread.
#pragma once
#include <memory>

#include "bench/engines/instruments.h"
#include "bench/engines/observer.h"
#include "bench/engines/run_profile.h"
#include "bench/plan/config.h"

namespace feedrate {

struct ObserverOptions {
  bool monitor = true;  ///< false: only peak memory is measured
  ProfileSchedule profile = {};
  Instruments instruments = {};
  OnProfile on_profile = {};  ///< may be empty
};

/// Makes an observer that calls all others. `options` and `monitors` outlive it.
[[nodiscard]] std::unique_ptr<StartObserver> make_observers(const StartContext& start,
                                                            const ObserverOptions& options,
                                                            GpuMonitors& monitors);

}  // namespace feedrate
