// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares with few parameters, by the Levenberg-Marquardt method with difference
// quotients (Marquardt, J. Soc. Indust. Appl. Math. 11 (1963), 431-441). Pure; any thread.
#pragma once
#include <functional>
#include <span>
#include <vector>

namespace feedrate {

/// Returns the same number of residuals in each call.
using Residuals = std::function<std::vector<double>(std::span<const double> parameters)>;

/// Returns parameters near `start` with a sum of squared residuals never larger than at `start`.
/// `difference` is the step of the derivatives.
[[nodiscard]] std::vector<double> least_squares(const Residuals& residuals,
                                                std::vector<double> start, double difference,
                                                std::size_t iterations);

}  // namespace feedrate
