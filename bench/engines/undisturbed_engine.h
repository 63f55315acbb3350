// SPDX-License-Identifier: Apache-2.0
// Measures a start again that something else has disturbed: other programs that took the CPUs, or a
// pause of this process. What disturbs only ever slows down, so the least disturbed try is kept.
#pragma once
#include <memory>

#include "bench/engines/engine.h"
#include "core/clock.h"

namespace feedrate {

/// Of one start, beside the first.
inline constexpr int kMostExtraTries = 2;
/// Extra tries take at most this share of the time of all first ones so far, so that a sweep on a
/// machine that is never quiet takes half as long again and no longer.
inline constexpr double kMostExtraTime = 0.5;

/// A start is disturbed by its metric of that name. One that was paused counts for nothing: after
/// the last extra try run() throws Error. A start with all its tries may take `limit`. `clock`
/// outlives the engine.
[[nodiscard]] std::unique_ptr<CellEngine> make_undisturbed_engine(
    std::unique_ptr<CellEngine> engine, Nanos limit, Clock& clock);

}  // namespace feedrate
