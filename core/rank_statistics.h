// SPDX-License-Identifier: Apache-2.0
// Agreement of two orders of the same things. Pure functions of plain numbers; any thread. The
// result is NaN if one side has only ties or fewer than two values.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace feedrate {

/// The smallest value has rank 1; equal values share the mean of their ranks.
[[nodiscard]] std::vector<double> fractional_ranks(std::span<const double> values);

/// REQUIRES: first != second
struct IndexPair {
  std::size_t first;
  std::size_t second;
};

/// Kendall's tau-b: (C - D) / sqrt((P - T_a) (P - T_b)) over the P pairs, of which C are in the
/// same order in both, D in opposite order, T_a tied in `a` and T_b tied in `b`. M. G. Kendall,
/// "The treatment of ties in ranking problems", Biometrika 33 (1945), 239-251. It counts pairs one
/// by one, not by W. R. Knight's sorting (JASA 61 (1966), 436-439), because the overload takes any
/// set of pairs. REQUIRES: a.size() == b.size()
[[nodiscard]] double kendall_tau_b(std::span<const double> a, std::span<const double> b);
/// Counts only these pairs.
[[nodiscard]] double kendall_tau_b(std::span<const double> a, std::span<const double> b,
                                   std::span<const IndexPair> pairs);

/// Every pair of `count` things once.
[[nodiscard]] std::vector<IndexPair> all_pairs(std::size_t count);

/// Spearman's rho: Pearson's correlation of the fractional ranks. C. Spearman, "The proof and
/// measurement of association between two things", American Journal of Psychology 15 (1904),
/// 72-101. REQUIRES: a.size() == b.size()
[[nodiscard]] double spearman_rho(std::span<const double> a, std::span<const double> b);

}  // namespace feedrate
