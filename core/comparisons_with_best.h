// SPDX-License-Identifier: Apache-2.0
// Shows which treatments are as good as the unknown best one. Pure functions of plain
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
  double least = 0.0;  ///< lower bound of the best effect minus this one; never below 0
  double most = 0.0;   ///< upper bound; infinite if the values do not determine it
};

/// One result per treatment. `confidence` holds for all `most` together, and for each `least`
/// alone. A single treatment is the best. REQUIRES: 0 < confidence < 1
[[nodiscard]] std::vector<ComparisonWithBest> compare_with_best(std::span<const TreatmentFit> fits,
                                                                double confidence);

/// The smallest difference of two effects that can be shown, for one of `treatments` comparisons.
[[nodiscard]] double resolution(const TreatmentFit& a, const TreatmentFit& b,
                                std::size_t treatments, double confidence);

/// How many common blocks `a` and `b` need for a resolution of `difference`, if their deviations
/// stay as well known as now.
[[nodiscard]] double blocks_for(double difference, const TreatmentFit& a, const TreatmentFit& b,
                                std::size_t treatments, double confidence);

}  // namespace feedrate
