// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <boost/math/distributions/students_t.hpp>

namespace feedrate {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return kNaN;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sample_stddev(std::span<const double> values) {
  if (values.size() < 2) return kNaN;
  const double center = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double percentile(std::span<const double> values, double fraction) {
  if (values.empty()) return kNaN;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

double median(std::span<const double> values) { return percentile(values, 0.5); }

double exponential_moving_average(std::span<const double> values, double alpha) {
  if (values.empty()) return kNaN;
  double average = values.front();
  for (const double value : values.subspan(1)) average += alpha * (value - average);
  return average;
}

double student_t(double confidence, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), 0.5 + confidence / 2.0);
}

double student_t_below(double t, double freedom) {
  return boost::math::cdf(boost::math::students_t(freedom), t);
}

Interval confidence_interval(std::span<const double> values, double confidence) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (values.size() < 2) return {-kInfinity, kInfinity};
  const auto count = static_cast<double>(values.size());
  const double half = student_t(confidence, count - 1.0) * sample_stddev(values) / std::sqrt(count);
  return {mean(values) - half, mean(values) + half};
}

}  // namespace feedrate
