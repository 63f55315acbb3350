// SPDX-License-Identifier: Apache-2.0
// Rules on the loader's settings and the host's memory, for advise() alone; the limits are ours.
// They need facts beside the timeline. Pure functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

/// Of an epoch's time.
inline constexpr double kStartUpLimit = 0.05;
inline constexpr double kHostMemoryLimit = 0.9;

/// Workers have one batch in flight each, and the step waits for data.
[[nodiscard]] std::optional<Advice> advise_prefetch(const AdviceInput& input);

/// The first batch of an epoch takes more of it than the limit.
[[nodiscard]] std::optional<Advice> advise_start_up(const AdviceInput& input);

[[nodiscard]] std::optional<Advice> advise_host_memory(const AdviceInput& input);

}  // namespace feedrate
