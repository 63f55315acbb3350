// SPDX-License-Identifier: Apache-2.0
// Which treatments are shown to be as good as the unknown best one. Pure functions of plain
// numbers; any thread.
//
// Hsu's multiple comparisons with the best (J. C. Hsu, Multiple Comparisons, 1996, chapter 4): the
// effect of the best exceeds that of treatment i by at most max over j != i of
// effect_j - effect_i + t_ij · error_ij, and 0, for all i at the same time. t_ij is Student's t at
// the level of Šidák for the number of rivals: by Slepian's inequality it is not below the exact
// critical value, whatever the deviations are (Hsu, 1.3 and 4.2).
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "core/block_fit.h"

namespace feedrate {

struct ComparisonWithBest {
  double least = 0.0;  ///< the best's effect less this one's is at least this, never below 0
  double most = 0.0;   ///< and at most this; infinite where nothing tells it
};

/// One a treatment, all at `confidence` together for `most`, and for `least` by itself.
/// A single treatment is the best. REQUIRES: 0 < confidence < 1
[[nodiscard]] std::vector<ComparisonWithBest> compare_with_best(std::span<const TreatmentFit> fits,
                                                                double confidence);

/// How far apart the effects of two of `treatments` have to be at most to be told apart.
[[nodiscard]] double resolution(const TreatmentFit& a, const TreatmentFit& b,
                                std::size_t treatments, double confidence);

/// In how many common blocks `a` and `b` would have to be for a resolution of `difference`, with
/// deviations that are known as well as they are now.
[[nodiscard]] double blocks_for(double difference, const TreatmentFit& a, const TreatmentFit& b,
                                std::size_t treatments, double confidence);

}  // namespace feedrate
