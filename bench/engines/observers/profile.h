// SPDX-License-Identifier: Apache-2.0
// Passes the timeline of a start and the figures for the advice to `sweep --trace` and
// `sweep --profile`. It follows all other observers, whose figures it reads. One thread.
#pragma once
#include <memory>

#include "bench/engines/observer.h"
#include "bench/engines/run_profile.h"

namespace feedrate {

/// `start.cell` outlives it.
[[nodiscard]] std::unique_ptr<StartObserver> make_profile_observer(const StartContext& start,
                                                                   const ProfileSchedule& schedule,
                                                                   OnProfile on_profile);

}  // namespace feedrate
