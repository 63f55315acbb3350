// SPDX-License-Identifier: Apache-2.0
// Measures a start again if other programs took its CPUs or this process was paused. A disturbance
// only slows a start down, so the least disturbed try is kept.
#pragma once
#include <memory>

#include "bench/engines/engine.h"
#include "core/clock.h"

namespace feedrate {

/// Extra tries of one start after the first.
inline constexpr int kMostExtraTries = 2;
/// Extra tries take at most this share of the time of all first tries until now, so that a sweep on
/// a machine that is never quiet takes at most 1.5 times as long.
inline constexpr double kMostExtraTime = 0.5;

/// The metric `disturbed` of a start decides. A paused try is dropped; if all tries are dropped,
/// run() throws Error. A start with all its tries may take `limit`. `clock` outlives the engine.
[[nodiscard]] std::unique_ptr<CellEngine> make_undisturbed_engine(
    std::unique_ptr<CellEngine> engine, Nanos limit, Clock& clock);

}  // namespace feedrate
