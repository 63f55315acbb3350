// SPDX-License-Identifier: Apache-2.0
// A figure with what is known of its error: the standard error and its degrees of freedom, as the
// GUM (JCGM 100:2008) carries them from measurements to results. Pure functions of plain numbers;
// any thread.
#pragma once
#include <limits>
#include <span>

#include "core/statistics.h"

namespace feedrate {

struct Uncertain {
  double value = 0.0;
  double standard_error = 0.0;
  double freedom = std::numeric_limits<double>::infinity();  ///< of `standard_error`
};

/// The mean of independent values: s / sqrt(n), with n - 1. REQUIRES: values.size() >= 2
[[nodiscard]] Uncertain uncertain_mean(std::span<const double> values);

/// log(numerator / denominator) of two independent figures. To first order their relative standard
/// errors add in quadrature (GUM 5.1.6); the degrees of freedom are those of Welch and
/// Satterthwaite (GUM G.4.1; B. L. Welch, Biometrika 34 (1947), 28-35; F. E. Satterthwaite,
/// Biometrics Bulletin 2 (1946), 110-114), so that neither the two variances nor the two counts
/// need be equal. REQUIRES: both values > 0
[[nodiscard]] Uncertain log_ratio(const Uncertain& numerator, const Uncertain& denominator);

/// The mean of independent figures, by the same rules. REQUIRES: not empty
[[nodiscard]] Uncertain mean_of(std::span<const Uncertain> figures);

/// With a further error, whose size is known.
[[nodiscard]] Uncertain widened(const Uncertain& figure, double standard_error);

/// Student's t interval, two-sided. REQUIRES: 0 < confidence < 1
[[nodiscard]] Interval interval_of(const Uncertain& figure, double confidence);

/// Student's t test, one-sided: how probable a figure as low as this one is where the truth is 0;
/// above 0 still less. At most (1 - confidence) / 2 just where interval_of lies below 0.
[[nodiscard]] double p_of_below_zero(const Uncertain& figure);

}  // namespace feedrate
