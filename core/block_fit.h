// SPDX-License-Identifier: Apache-2.0
// Treatments that were measured in blocks, as cells in rounds: their effects without what all
// values of a block have in common, and how much single values scatter. Pure functions of plain
// numbers; any thread.
#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace feedrate {

struct BlockValue {
  std::size_t treatment = 0;
  std::size_t block = 0;
  double value = 0.0;
};

/// Of one treatment.
struct TreatmentFit {
  double effect = 0.0;              ///< comparable with the other treatments' only
  double deviation = 0.0;           ///< of one value; infinite where nothing tells it
  double freedom = 0.0;             ///< degrees of freedom of `deviation`
  std::vector<std::size_t> blocks;  ///< it was measured in, ascending
};

/// value = effect of its treatment + that of its block + rest. Fitted by Huber's estimator with
/// k = 1.345 (P. J. Huber, Robust Statistics, 1981, ch. 7), so that a few disturbed values do not
/// move it. A treatment may miss blocks. The deviations are each treatment's own, pulled to the
/// pooled one as far as treatments scatter alike (G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3
/// (2004), article 3, section 6). REQUIRES: each treatment below `treatments` has a value; blocks
/// are numbered from 0
[[nodiscard]] std::vector<TreatmentFit> fit_blocks(std::span<const BlockValue> values,
                                                   std::size_t treatments);

/// Standard error of effect a - effect b, by the blocks that have both; infinite where none has.
[[nodiscard]] double error_of_difference(const TreatmentFit& a, const TreatmentFit& b);

}  // namespace feedrate
