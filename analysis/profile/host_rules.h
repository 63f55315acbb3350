// SPDX-License-Identifier: Apache-2.0
// Rules for GPUs that are idle because the host is late, though not for lack of batches: larger
// batches would be the wrong advice. Only advise() calls them. Pure functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

/// Share of the steps in which a GPU is idle for the rule's reason.
inline constexpr double kSynchronizationLimit = 0.1;
inline constexpr double kHostBoundLimit = 0.2;
/// One wait per step is usual: loops log their loss.
inline constexpr double kUsualWaitsPerStep = 1.0;

/// Synchronization-bound: the host waits for the GPU several times a step, as by .item(), and the
/// GPU is idle after these waits.
[[nodiscard]] std::optional<Advice> advise_synchronization(const AdviceInput& input);

/// API-bound: the GPU is idle between launches while the host is in the calls that launch, or
/// host-bound: in operators.
[[nodiscard]] std::optional<Advice> advise_host_bound(const AdviceInput& input);

}  // namespace feedrate
