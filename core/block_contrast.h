// SPDX-License-Identifier: Apache-2.0
// Weighted sums of the effects of a block design, with their errors. Pure functions of plain
// numbers; any thread.
#pragma once
#include <cstddef>
#include <map>
#include <span>

#include "core/block_fit.h"

namespace feedrate {

/// Of sum weight_i * effect_i, where the weights add up to 0, so that the blocks' effects cancel.
struct Contrast {
  double value = 0.0;
  double error = 0.0;    ///< standard error; infinite where nothing tells it
  double freedom = 0.0;  ///< degrees of freedom of `error`
};

/// `weights` by the index of the treatment. The error is
/// sqrt(sum weight_i^2 deviation_i^2 / blocks_i); its degrees of freedom are those of Welch and
/// Satterthwaite, not more than the values of these treatments leave.
/// REQUIRES: the indices are of `fits`
[[nodiscard]] Contrast contrast_of(std::span<const TreatmentFit> fits,
                                   const std::map<std::size_t, double>& weights);

/// Half of the two-sided Student's t interval of the contrast; infinite where nothing tells it.
/// REQUIRES: 0 < confidence < 1
[[nodiscard]] double half_interval(const Contrast& contrast, double confidence);

}  // namespace feedrate
