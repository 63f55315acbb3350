// SPDX-License-Identifier: Apache-2.0
// The statistics of docs/measurement.md. Pure functions of plain numbers; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace feedrate {

/// Not a number for empty `values`, as are the other functions below.
[[nodiscard]] double mean(std::span<const double> values);

/// Unbiased (n - 1). Not a number for fewer than two values.
[[nodiscard]] double sample_stddev(std::span<const double> values);

/// `fraction` in [0, 1]; linear between the closest ranks, as numpy's default (Hyndman and Fan,
/// type 7).
[[nodiscard]] double percentile(std::span<const double> values, double fraction);
[[nodiscard]] double median(std::span<const double> values);

/// The last value of the exponential moving average that starts at the first value:
/// e_i = e_{i-1} + alpha (x_i - e_{i-1}).
[[nodiscard]] double exponential_moving_average(std::span<const double> values, double alpha);

/// The two-sided critical value of Student's t: t(0.975, freedom) for a confidence of 0.95.
/// REQUIRES: 0 < confidence < 1, freedom > 0 or infinite
[[nodiscard]] double student_t(double confidence, double freedom);

/// The share of Student's t distribution below `t`. REQUIRES: freedom > 0 or infinite
[[nodiscard]] double student_t_below(double t, double freedom);

struct Interval {
  double low;
  double high;
};

/// Student's t interval of the mean, two-sided, with values.size() - 1 degrees of freedom. Infinite
/// for fewer than two values. REQUIRES: 0 < confidence < 1
[[nodiscard]] Interval confidence_interval(std::span<const double> values, double confidence);

}  // namespace feedrate
