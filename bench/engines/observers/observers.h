// SPDX-License-Identifier: Apache-2.0
// The observers of a start. A new one is made here, and nowhere else. One thread.
#pragma once
#include <memory>

#include "bench/engines/instruments.h"
#include "bench/engines/observer.h"
#include "bench/engines/run_profile.h"
#include "bench/plan/config.h"

namespace feedrate {

struct ObserverOptions {
  bool monitor = true;  ///< false: of the machine, peak memory alone is measured
  ProfileSchedule profile = {};
  Instruments instruments = {};
  OnProfile on_profile = {};  ///< may be empty
};

/// One that calls all of them. `options` and `monitors` outlive it.
[[nodiscard]] std::unique_ptr<StartObserver> make_observers(const StartContext& start,
                                                            const ObserverOptions& options,
                                                            GpuMonitors& monitors);

}  // namespace feedrate
