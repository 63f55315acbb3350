// SPDX-License-Identifier: Apache-2.0
// Many tests at once: which of them to believe. Pure functions of plain numbers; any thread.
#pragma once
#include <span>
#include <vector>

namespace feedrate {

/// Which hypotheses Benjamini and Hochberg reject by the p values of their tests ("Controlling the
/// false discovery rate", J. R. Stat. Soc. B 57 (1995), 289-300): those up to the largest p with
/// p_(i) <= level · i / m. Of the rejected ones a share of `level` is wrong in the mean; where all
/// hypotheses hold, any is rejected with probability `level` at most. Holds for tests that are
/// independent or positively dependent (Benjamini and Yekutieli, Ann. Statist. 29 (2001),
/// 1165-1188).
[[nodiscard]] std::vector<bool> reject_by_false_discovery_rate(std::span<const double> p_values,
                                                               double level);

}  // namespace feedrate
