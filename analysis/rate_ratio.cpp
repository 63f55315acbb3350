// SPDX-License-Identifier: Apache-2.0
#include "analysis/rate_ratio.h"

#include <cmath>

#include <fmt/format.h>

namespace feedrate {

RateRatio rate_ratio(double logarithm, double half) {
  return {std::exp(logarithm), std::exp(logarithm - half), std::exp(logarithm + half)};
}

bool has_interval(const RateRatio& ratio) { return std::isfinite(ratio.high); }

std::string gain_text(double ratio) {
  if (ratio >= 2.0) return fmt::format("{:.{}f}x", ratio, ratio < 10.0 ? 1 : 0);
  const double percent = 100.0 * (ratio - 1.0);
  if (std::abs(percent) < 0.05) return "0.0 %";  // Neither "+0.0 %" nor "-0.0 %".
  return fmt::format("{:+.{}f} %", percent, std::abs(percent) < 9.95 ? 1 : 0);
}

std::string gain_text(const RateRatio& ratio) {
  const std::string gain = gain_text(ratio.ratio);
  if (!has_interval(ratio)) return gain;
  return fmt::format("{} ({} to {})", gain, gain_text(ratio.low), gain_text(ratio.high));
}

}  // namespace feedrate
