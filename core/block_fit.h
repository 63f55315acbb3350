// SPDX-License-Identifier: Apache-2.0
// A fit of values measured in blocks, such as cells in rounds: it separates the treatments' effects
// from the blocks' and estimates the scatter of single values. Pure functions of plain numbers; any
// thread.
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

struct TreatmentFit {
  double effect = 0.0;              ///< comparable only with the effects of other treatments
  double deviation = 0.0;           ///< of one value; infinite if the values do not determine it
  double freedom = 0.0;             ///< degrees of freedom of `deviation`
  std::vector<std::size_t> blocks;  ///< blocks in which it was measured, ascending
};

/// Model: value = effect of its treatment + effect of its block + residual. Fitted by Huber's
/// estimator with k = 1.345 (P. J. Huber, Robust Statistics, 1981, ch. 7), so that a few disturbed
/// values do not move it. A treatment may miss blocks. Each treatment has its own deviation, pulled
/// toward the pooled one as far as treatments scatter alike (G. K. Smyth, Stat. Appl. Genet. Mol.
/// Biol. 3 (2004), article 3, section 6).
/// REQUIRES: each treatment below `treatments` has a value; blocks are numbered from 0
[[nodiscard]] std::vector<TreatmentFit> fit_blocks(std::span<const BlockValue> values,
                                                   std::size_t treatments);

/// Standard error of effect a - effect b over the blocks that have both; infinite without such a
/// block.
[[nodiscard]] double error_of_difference(const TreatmentFit& a, const TreatmentFit& b);

}  // namespace feedrate
