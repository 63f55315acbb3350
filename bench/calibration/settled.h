// SPDX-License-Identifier: Apache-2.0
// How well it is known what PyTorch takes longer than the native loader: from repeats of a probe
// with both, one beside the other. Pure functions.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// Of one figure of a probe, a value a repeat; the same repeat of both ran one after the other.
struct PairedFigures {
  std::vector<double> torch;   ///< seconds
  std::vector<double> native;  ///< as many

  void add(double of_torch, double of_native);
};

struct PairedDifference {
  double value = 0.0;  ///< median over the repeats of torch - native
  /// Half its 95 % interval: t · 1.2533 · 1.4826 · MAD / √n, which single repeats that were
  /// disturbed do not move. Infinite below three repeats.
  double half = 0.0;
  double of = 0.0;  ///< median of torch: what `half` is small against, or not
};

/// Seconds that matter beside no batch.
inline constexpr double kNegligible = 1e-4;

[[nodiscard]] PairedDifference difference_of(const PairedFigures& figures);

/// Whether `half` is at most `share` of the figure, or `negligible`, in seconds; a figure without
/// an interval is taken as it is.
[[nodiscard]] bool is_settled(const PairedDifference& difference, double share,
                              double negligible = kNegligible);

/// "1 busy worker, step: 6.21 ms ± 3 % more than the native loader's".
[[nodiscard]] std::string describe(const std::string& figure, const PairedDifference& difference);

}  // namespace feedrate
