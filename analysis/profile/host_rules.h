// SPDX-License-Identifier: Apache-2.0
// What to do where a GPU is idle since the host is late, though not for want of batches: two
// patterns for which larger batches are the wrong advice. For advise() alone. Pure functions; any
// thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

/// Of the steps, with a GPU idle for the reason of the rule.
inline constexpr double kSynchronizationLimit = 0.1;
inline constexpr double kHostBoundLimit = 0.2;
/// One wait a step is how loops log their loss.
inline constexpr double kUsualWaitsPerStep = 1.0;

/// Synchronization-bound: the host waits for the GPU several times a step, as by .item(), and the
/// GPU is idle after these waits.
[[nodiscard]] std::optional<Advice> advise_synchronization(const AdviceInput& input);

/// API-bound: the GPU is idle between launches while the host is in the calls that launch, or
/// host-bound: in operators.
[[nodiscard]] std::optional<Advice> advise_host_bound(const AdviceInput& input);

}  // namespace feedrate
