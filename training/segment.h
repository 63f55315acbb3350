// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a segment: consecutive steps by which a setting is measured. Turns are its
// whole blocks. Pure; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bench/engines/protocol.h"
#include "training/watched_loader.h"

namespace feedrate {

inline constexpr std::size_t kLeastKept = 10;  ///< steps of a segment

/// The batch size of `loader` divided by that of `present`; 1 if one is unknown.
[[nodiscard]] double batch_size_share(const ScriptLoader& loader, const ScriptLoader& present);

/// The least multiple of `unit` that is at least `steps`.
[[nodiscard]] std::size_t round_up(std::size_t steps, std::size_t unit);

/// The steps on a time of their own, on which they follow each other. `share`: their batch size
/// divided by the present one, to which times and samples are scaled.
[[nodiscard]] Measurement measurement_of(std::span<const LoggedStep> steps, double share = 1.0);

/// The first half of the whole turns and the second; the whole segment if it has fewer than two.
[[nodiscard]] std::vector<Measurement> halves_of(const Measurement& measurement, std::size_t turn);

/// Steps from one that takes most of the time to the next one; 1 if there are none.
[[nodiscard]] std::size_t burst_of(const std::vector<LoggedStep>& steps);

/// Mean seconds of a step; their median would ignore few long steps. REQUIRES: a step
[[nodiscard]] double step_of(const Measurement& measurement);

/// Standard error of step_of(), from the spread of the turns. REQUIRES: two turns
[[nodiscard]] double step_error(const Measurement& measurement, std::size_t turn);

/// The expected noise of the logarithm of the rate from segment to segment, before two segments of
/// a setting are known: the standard error of a mean, from the spread of the turns.
[[nodiscard]] double noise_of(const Measurement& measurement, std::size_t turn);

}  // namespace feedrate
