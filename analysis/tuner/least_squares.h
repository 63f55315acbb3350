// SPDX-License-Identifier: Apache-2.0
// Nonlinear least squares of few parameters, by Levenberg and Marquardt's method with differences
// for derivatives (Marquardt, J. Soc. Indust. Appl. Math. 11 (1963), 431-441). Pure; any thread.
#pragma once
#include <functional>
#include <span>
#include <vector>

namespace feedrate {

/// As many residuals each time.
using Residuals = std::function<std::vector<double>(std::span<const double> parameters)>;

/// Parameters near `start` with a small sum of squared residuals, never a larger one than at
/// `start`. `difference` is the step of the derivatives.
[[nodiscard]] std::vector<double> least_squares(const Residuals& residuals,
                                                std::vector<double> start, double difference,
                                                std::size_t iterations);

}  // namespace feedrate
