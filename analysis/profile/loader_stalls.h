// SPDX-License-Identifier: Apache-2.0
// Waits of a training loop for its loader, and their pattern. Pure functions; any thread.
//
// Each wait has two durations: raw is the time in next(); exposed is the part of it in which no GPU
// worked. Only the exposed time can be saved by a better loader; the raw time shows how the loader
// performs.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// One call of next().
struct LoaderWait {
  TimeInterval span;
  Nanos exposed{};
  /// Far longer than the others, such as the first wait of an epoch whose workers must start.
  bool is_outlier = false;

  [[nodiscard]] Nanos raw() const noexcept { return span.length(); }
};

/// Long waits at every `period`-th call: of workers that finish together, or of a slow worker.
struct PeriodicStall {
  std::size_t period = 0;
  Nanos stalled{};  ///< median of those waits
  Nanos others{};   ///< median of all other waits
};

/// Calls that page-lock host memory.
struct PinningCalls {
  std::size_t count = 0;
  Nanos time{};
};

struct StepLoading {
  Nanos raw{};
  Nanos exposed{};
};

struct LoaderStalls {
  std::vector<LoaderWait> waits;   ///< waits that overlap the steps, by begin
  std::vector<StepLoading> steps;  ///< by step: the parts of waits within it
  Nanos median{};                  ///< median of the raw waits
  std::optional<PeriodicStall> periodic = std::nullopt;
  PinningCalls pinned_late;  ///< after the first step; later growth of the pinned pool
};

/// `steps` are those of adjusted_steps().
[[nodiscard]] LoaderStalls loader_stalls(const Timeline& timeline,
                                         const std::vector<StepSpan>& steps);

/// Looks for a period of 2 to 64 calls whose every p-th call takes longer than the others. It
/// tolerates exceptions; at least three calls must fit. `waits` must be in order.
[[nodiscard]] std::optional<PeriodicStall> find_periodic_stall(
    const std::vector<LoaderWait>& waits);

}  // namespace feedrate
