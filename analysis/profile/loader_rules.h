// SPDX-License-Identifier: Apache-2.0
// Rules on the loader's settings and the host's memory, with feedrate's own limits. They need
// RunFacts besides the timeline. Only advise() calls them. Pure functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

inline constexpr double kStartUpLimit = 0.05;    ///< of an epoch's time
inline constexpr double kHostMemoryLimit = 0.9;  ///< of the process tree's limit

/// Fires if workers have one batch in flight each and the step waits for data.
[[nodiscard]] std::optional<Advice> advise_prefetch(const AdviceInput& input);

/// Fires if the first batch of an epoch takes more than kStartUpLimit of the epoch.
[[nodiscard]] std::optional<Advice> advise_start_up(const AdviceInput& input);

[[nodiscard]] std::optional<Advice> advise_host_memory(const AdviceInput& input);

}  // namespace feedrate
