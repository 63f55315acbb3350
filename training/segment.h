// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a segment: the steps in a row by which a setting is measured. Turns are the
// whole blocks by which it is divided. Pure; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "bench/engines/protocol.h"
#include "training/watched_loader.h"

namespace feedrate {

inline constexpr std::size_t kLeastKept = 10;  ///< steps of a segment

/// The steps on a time of their own, on which they follow each other. `share`: their batch size
/// divided by the present one, to which times and samples are scaled.
[[nodiscard]] Measurement measurement_of(std::span<const LoggedStep> steps, double share = 1.0);

/// Whole turns: the first half of them and the second. All of it where there are fewer than two.
[[nodiscard]] std::vector<Measurement> halves_of(const Measurement& measurement, std::size_t turn);

/// Steps from one that takes most of the time to the next one; 1 where there are none such.
[[nodiscard]] std::size_t burst_of(const std::vector<LoggedStep>& steps);

/// Seconds a step: a mean, since where few steps are long their median is far from it. Of one step
/// at least.
[[nodiscard]] double step_of(const Measurement& measurement);

/// Standard error of step_of(), by how the turns differ. Of two turns at least.
[[nodiscard]] double step_error(const Measurement& measurement, std::size_t turn);

/// From segment to segment, of the logarithm of the rate, before two of one setting are known: the
/// standard error of a segment's mean, by what the turns of `measurement` vary among themselves.
[[nodiscard]] double noise_of(const Measurement& measurement, std::size_t turn);

}  // namespace feedrate
