// SPDX-License-Identifier: Apache-2.0
// How long a training loop waited for its loader, and in what pattern. Pure functions; any thread.
//
// Two figures for the same wait: raw is how long next() took, exposed is the part of it in which no
// GPU worked. Only the latter is time that a better loader would win back, and only the former says
// how the loader did.
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
  /// Far longer than the others, as the first of an epoch whose workers had to start.
  bool is_outlier = false;

  [[nodiscard]] Nanos raw() const noexcept { return span.end - span.begin; }
};

/// Waits that come back every `period` calls: of workers that finish together, or of a slow one.
struct PeriodicStall {
  std::size_t period = 0;
  Nanos stalled{};  ///< median of those calls …
  Nanos others{};   ///< … and of all others
};

/// Calls that page-lock memory of the host.
struct PinningCalls {
  std::size_t count = 0;
  Nanos time{};
};

struct StepLoading {
  Nanos raw{};
  Nanos exposed{};
};

struct LoaderStalls {
  std::vector<LoaderWait> waits;   ///< that touch the steps, by begin
  std::vector<StepLoading> steps;  ///< of each step, what lies within it
  Nanos median{};                  ///< of the waits, raw
  std::optional<PeriodicStall> periodic = std::nullopt;
  PinningCalls pinned_late;  ///< after the first step, when the pinned pool should have grown
};

/// `steps` as adjusted_steps() gives them.
[[nodiscard]] LoaderStalls loader_stalls(const Timeline& timeline,
                                         const std::vector<StepSpan>& steps);

/// Looks for one call in every 2 to 64 that takes longer than the others between. Robust against
/// some that do not fit; at least three must. `waits` are in order.
[[nodiscard]] std::optional<PeriodicStall> find_periodic_stall(
    const std::vector<LoaderWait>& waits);

}  // namespace feedrate
