// SPDX-License-Identifier: Apache-2.0
#include "core/comparisons_with_best.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// The value is one-sided and at Šidák's level.
double critical_value(double freedom, std::size_t treatments, double confidence) {
  if (!(freedom > 0.0) || treatments < 2) return kUnbounded;
  const double each = std::pow(confidence, 1.0 / static_cast<double>(treatments - 1));
  return student_t(2.0 * each - 1.0, freedom);
}

double critical_value(const TreatmentFit& a, const TreatmentFit& b, std::size_t treatments,
                      double confidence) {
  return critical_value(std::min(a.freedom, b.freedom), treatments, confidence);
}

}  // namespace

double resolution(const TreatmentFit& a, const TreatmentFit& b, std::size_t treatments,
                  double confidence) {
  const double error = error_of_difference(a, b);
  if (!std::isfinite(error)) return kUnbounded;
  return critical_value(a, b, treatments, confidence) * error;
}

double blocks_for(double difference, const TreatmentFit& a, const TreatmentFit& b,
                  std::size_t treatments, double confidence) {
  const double variance = a.deviation * a.deviation + b.deviation * b.deviation;
  const double t = critical_value(a, b, treatments, confidence);
  return std::ceil(t * t * variance / (difference * difference));
}

std::vector<ComparisonWithBest> compare_with_best(std::span<const TreatmentFit> fits,
                                                  double confidence) {
  std::vector<double> values;
  for (const TreatmentFit& fit : fits) {
    values.push_back(critical_value(fit.freedom, fits.size(), confidence));
  }
  std::vector<ComparisonWithBest> comparisons(fits.size());
  for (std::size_t i = 0; i < fits.size(); ++i) {
    for (std::size_t j = 0; j < fits.size(); ++j) {
      if (i == j) continue;
      const double error = error_of_difference(fits[i], fits[j]);
      const double half =
          std::isfinite(error) ? std::max(values[i], values[j]) * error : kUnbounded;
      const double lead = fits[j].effect - fits[i].effect;
      comparisons[i].least = std::max(comparisons[i].least, lead - half);
      comparisons[i].most = std::max(comparisons[i].most, lead + half);
    }
  }
  return comparisons;
}

}  // namespace feedrate
