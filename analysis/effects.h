// SPDX-License-Identifier: Apache-2.0
// What each setting is worth by itself: the effect of each of its values on samples_per_second.
// Pure functions of a result; any thread.
//
// Two cells that differ in one setting alone are a pair. So are cells that differ in others, too,
// which have no meaning in one of them (bench/plan/canonicalize.h): num_workers=0 has no
// prefetch_factor. The effect of a value is the geometric mean, over its pairs, of the rate with it
// divided by the rate with the reference value (analysis/reference.h). Rates are compared within
// rounds (core/block_fit.h). The mean is over the pairs that the sweep has: it says nothing of
// other settings.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/rate_ratio.h"
#include "core/result.h"

namespace feedrate {

/// The effect among the pairs that have one value of another setting.
struct EffectBeside {
  std::string value;
  std::size_t pairs = 0;
  RateRatio gain = {};
};

/// The effect depends on another setting: there are two values of it with effects that differ by
/// more than the tolerance of the run, which is shown at 95 % for all interactions together.
struct Interaction {
  std::string setting;               ///< the other one
  double spread = 0.0;               ///< the largest of the effects divided by the least
  std::vector<EffectBeside> beside;  ///< in the order of the plan
};

struct Effect {
  std::string setting;
  std::string value;
  std::string reference;  ///< the value it is compared with
  std::size_t pairs = 0;
  /// The interval holds the effect that a second run of the same sweep on the same machine shows,
  /// with 95 %: it is sqrt(2) times as wide as that of the mean, since the second run scatters, too
  /// (G. J. Hahn and W. Q. Meeker, Statistical Intervals, 1991, section 2.3).
  RateRatio gain = {};
  std::vector<Interaction> interactions = {};  ///< largest spread first
};

/// By the plan's order of settings, and of their values. Limits (analysis/best.h) are left out
/// where there is anything else.
[[nodiscard]] std::vector<Effect> effects_of(const RunResult& run);

}  // namespace feedrate
