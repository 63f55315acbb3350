// SPDX-License-Identifier: Apache-2.0
// The difference of PyTorch's and the native loader's times and its interval, from alternating
// repeats of a probe. Pure functions.
#pragma once
#include <string>
#include <vector>

namespace feedrate {

/// One figure of a probe, with one value per repeat; the two values of a repeat were measured in
/// succession.
struct PairedFigures {
  std::vector<double> torch;   ///< seconds
  std::vector<double> native;  ///< seconds, the same count

  void add(double of_torch, double of_native);
};

struct PairedDifference {
  double value = 0.0;  ///< median over the repeats of torch - native
  /// Half the 95 % interval: t · 1.2533 · 1.4826 · MAD / √n, which is robust against single
  /// disturbed repeats. Infinite below three repeats.
  double half = 0.0;
  double of = 0.0;  ///< median of torch, to which `half` is compared
};

/// Seconds that are negligible compared with any batch.
inline constexpr double kNegligible = 1e-4;

[[nodiscard]] PairedDifference difference_of(const PairedFigures& figures);

/// Whether `half` is at most `share` of the figure, or `negligible` seconds. A figure without an
/// interval counts as settled.
[[nodiscard]] bool is_settled(const PairedDifference& difference, double share,
                              double negligible = kNegligible);

/// Returns "1 busy worker, step: 6.21 ms ± 3 % more than the native loader's".
[[nodiscard]] std::string describe(const std::string& figure, const PairedDifference& difference);

}  // namespace feedrate
