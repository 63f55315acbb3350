// SPDX-License-Identifier: Apache-2.0
// Weighted sums of the effects of a block design, with their errors. Pure functions of plain
// numbers; any thread.
#pragma once
#include <cstddef>
#include <map>
#include <span>

#include "core/block_fit.h"

namespace feedrate {

/// The sum of weight_i * effect_i. The weights add up to 0, so that the blocks' effects cancel.
struct Contrast {
  double value = 0.0;
  double error = 0.0;    ///< standard error; infinite if the values do not determine it
  double freedom = 0.0;  ///< degrees of freedom of `error`
};

/// `weights` maps a treatment's index to its weight. The error is sqrt(sum weight_i^2 deviation_i^2
/// / blocks_i). Its degrees of freedom are those of Welch and Satterthwaite, but at most those that
/// the values of these treatments leave.
/// REQUIRES: the indices are of `fits`
[[nodiscard]] Contrast contrast_of(std::span<const TreatmentFit> fits,
                                   const std::map<std::size_t, double>& weights);

/// Half the width of the two-sided Student's t interval; infinite if the error is.
/// REQUIRES: 0 < confidence < 1
[[nodiscard]] double half_interval(const Contrast& contrast, double confidence);

}  // namespace feedrate
