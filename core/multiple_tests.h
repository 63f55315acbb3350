// SPDX-License-Identifier: Apache-2.0
// Correction for many tests at once. Pure functions of plain numbers; any thread.
#pragma once
#include <span>
#include <vector>

namespace feedrate {

/// Which hypotheses Benjamini and Hochberg reject by the p values of their tests ("Controlling the
/// false discovery rate", J. R. Stat. Soc. B 57 (1995), 289-300): those up to the largest p with
/// p_(i) <= level · i / m. The expected share of wrong rejections is at most `level`. REQUIRES:
/// tests that are independent or positively dependent (Benjamini and Yekutieli, Ann. Statist. 29
/// (2001), 1165-1188).
[[nodiscard]] std::vector<bool> reject_by_false_discovery_rate(std::span<const double> p_values,
                                                               double level);

}  // namespace feedrate
