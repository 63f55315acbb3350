// SPDX-License-Identifier: Apache-2.0
// The effect of each value of each setting on samples_per_second. Pure functions of a result; any
// thread.
//
// Two cells that differ in one setting alone are a pair, even if they also differ in settings that
// have no meaning in one of them (bench/plan/canonicalize.h): num_workers=0 has no prefetch_factor.
// The effect of a value is the geometric mean, over its pairs, of the rate with it divided by the
// rate with the reference value (analysis/reference.h), compared within rounds (core/block_fit.h).
// The mean covers the pairs of the sweep; it does not predict other settings.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/rate_ratio.h"
#include "core/result.h"

namespace feedrate {

/// The effect among the pairs that have one value of the other setting.
struct ConditionalEffect {
  std::string value;
  std::size_t pairs = 0;
  RateRatio gain = {};
};

/// An interaction: two values of another setting have effects that differ by more than the
/// tolerance of the run, shown at 95 % for all interactions together.
struct Interaction {
  std::string setting;
  double spread = 0.0;                     ///< largest effect / least effect
  std::vector<ConditionalEffect> effects;  ///< in the order of the plan
};

struct Effect {
  std::string setting;
  std::string value;
  std::string reference;  ///< the value it is compared with
  std::size_t pairs = 0;
  /// The 95 % interval for the effect that a second run of the same sweep on the same machine
  /// measures: sqrt(2) times as wide as that of the mean, since the second run scatters, too (G. J.
  /// Hahn and W. Q. Meeker, Statistical Intervals, 1991, section 2.3).
  RateRatio gain = {};
  std::vector<Interaction> interactions = {};  ///< largest spread first
};

/// Effects in the plan's order of settings and values. Limits (analysis/best.h) are left out unless
/// there is nothing else.
[[nodiscard]] std::vector<Effect> effects_of(const RunResult& run);

}  // namespace feedrate
