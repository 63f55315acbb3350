// SPDX-License-Identifier: Apache-2.0
// Ratios of rates. A value; any thread.
#pragma once
#include <string>

namespace feedrate {

/// A ratio with its 95 % interval, from 0 to infinity if unknown.
struct RateRatio {
  double ratio = 1.0;
  double low = 0.0;
  double high = 0.0;
};

/// From the logarithm of the ratio and the half width of its interval, which may be infinite.
[[nodiscard]] RateRatio rate_ratio(double logarithm, double half);

[[nodiscard]] bool has_interval(const RateRatio& ratio);

/// The ratio as a gain: "+12 %", "-0.4 %", "4.1x" from a doubling on.
[[nodiscard]] std::string gain_text(double ratio);

/// "+12 % (+5 % to +20 %)", without the interval if there is none.
[[nodiscard]] std::string gain_text(const RateRatio& ratio);

}  // namespace feedrate
