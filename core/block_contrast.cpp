// SPDX-License-Identifier: Apache-2.0
#include "core/block_contrast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/statistics.h"

namespace feedrate {

Contrast contrast_of(std::span<const TreatmentFit> fits,
                     const std::map<std::size_t, double>& weights) {
  Contrast sum;
  double variance = 0.0, denominator = 0.0, most = 0.0;
  for (const auto& [treatment, weight] : weights) {
    const TreatmentFit& fit = fits[treatment];
    const auto blocks = static_cast<double>(fit.blocks.size());
    sum.value += weight * fit.effect;
    if (weight == 0.0) continue;
    const double share = weight * weight * fit.deviation * fit.deviation / std::max(blocks, 1.0);
    variance += share;
    if (fit.freedom > 0.0) denominator += share * share / fit.freedom;
    most += blocks - 1.0;
  }
  sum.error = std::sqrt(variance);
  if (std::isfinite(variance) && most > 0.0) {
    sum.freedom = denominator > 0.0 ? std::min(variance * variance / denominator, most) : most;
  }
  return sum;
}

double half_interval(const Contrast& contrast, double confidence) {
  if (!std::isfinite(contrast.error) || !(contrast.freedom > 0.0)) {
    return std::numeric_limits<double>::infinity();
  }
  return student_t(confidence, contrast.freedom) * contrast.error;
}

}  // namespace feedrate
