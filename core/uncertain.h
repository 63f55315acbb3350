// SPDX-License-Identifier: Apache-2.0
// A figure with its standard error and degrees of freedom, propagated as in the GUM (JCGM
// 100:2008). Pure functions of plain numbers; any thread.
#pragma once
#include <limits>
#include <span>

#include "core/statistics.h"

namespace feedrate {

struct Uncertain {
  double value = 0.0;
  double standard_error = 0.0;
  double freedom = std::numeric_limits<double>::infinity();
};

/// The mean of independent values, with error s / sqrt(n) and n - 1 degrees of freedom. REQUIRES:
/// values.size() >= 2
[[nodiscard]] Uncertain uncertain_mean(std::span<const double> values);

/// log(numerator / denominator) of two independent figures. To first order their relative standard
/// errors add in quadrature (GUM 5.1.6); the degrees of freedom are those of Welch and
/// Satterthwaite (GUM G.4.1; B. L. Welch, Biometrika 34 (1947), 28-35; F. E. Satterthwaite,
/// Biometrics Bulletin 2 (1946), 110-114), so that neither the two variances nor the two counts
/// need be equal. REQUIRES: both values > 0
[[nodiscard]] Uncertain log_ratio(const Uncertain& numerator, const Uncertain& denominator);

/// The mean of independent figures, by the same rules. REQUIRES: not empty
[[nodiscard]] Uncertain mean_of(std::span<const Uncertain> figures);

/// Adds a further error of known size.
[[nodiscard]] Uncertain widened(const Uncertain& figure, double standard_error);

/// Student's t interval, two-sided. REQUIRES: 0 < confidence < 1
[[nodiscard]] Interval interval_of(const Uncertain& figure, double confidence);

/// Student's t test, one-sided: the probability of a figure as low as this one if the truth is 0.
/// At most (1 - confidence) / 2 exactly if interval_of() is below 0.
[[nodiscard]] double p_of_below_zero(const Uncertain& figure);

}  // namespace feedrate
