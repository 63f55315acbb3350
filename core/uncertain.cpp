// SPDX-License-Identifier: Apache-2.0
#include "core/uncertain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace feedrate {
namespace {

struct Contribution {
  double standard_error;
  double freedom;
};

Uncertain with_errors_of(double value, std::span<const Contribution> contributions) {
  double variance = 0.0, squares = 0.0;
  for (const Contribution& contribution : contributions) {
    const double own = contribution.standard_error * contribution.standard_error;
    variance += own;
    squares += own * own / contribution.freedom;
  }
  // If the squares overflow a double, the error is unknown.
  if (!std::isfinite(variance * variance) || !std::isfinite(squares)) {
    return {value, std::numeric_limits<double>::infinity(), 1.0};
  }
  const double freedom =
      squares > 0.0 ? variance * variance / squares : std::numeric_limits<double>::infinity();
  return {value, std::sqrt(variance), freedom};
}

}  // namespace

Uncertain uncertain_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  return {mean(values), sample_stddev(values) / std::sqrt(count), count - 1.0};
}

Uncertain log_ratio(const Uncertain& numerator, const Uncertain& denominator) {
  const std::array<Contribution, 2> relative{
      {{numerator.standard_error / numerator.value, numerator.freedom},
       {denominator.standard_error / denominator.value, denominator.freedom}}};
  return with_errors_of(std::log(numerator.value / denominator.value), relative);
}

Uncertain mean_of(std::span<const Uncertain> figures) {
  const auto count = static_cast<double>(figures.size());
  double sum = 0.0;
  std::vector<Contribution> shares;
  for (const Uncertain& figure : figures) {
    sum += figure.value;
    shares.push_back({figure.standard_error / count, figure.freedom});
  }
  return with_errors_of(sum / count, shares);
}

Uncertain widened(const Uncertain& figure, double standard_error) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::array<Contribution, 2> both{
      {{figure.standard_error, figure.freedom}, {standard_error, kInfinity}}};
  return with_errors_of(figure.value, both);
}

Interval interval_of(const Uncertain& figure, double confidence) {
  if (figure.standard_error == 0.0) return {figure.value, figure.value};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(figure.standard_error)) return {-kInfinity, kInfinity};
  const double half = student_t(confidence, figure.freedom) * figure.standard_error;
  return {figure.value - half, figure.value + half};
}

double p_of_below_zero(const Uncertain& figure) {
  if (figure.standard_error == 0.0) return figure.value < 0.0 ? 0.0 : 1.0;
  if (!std::isfinite(figure.standard_error)) return 0.5;
  return student_t_below(figure.value / figure.standard_error, figure.freedom);
}

}  // namespace feedrate
