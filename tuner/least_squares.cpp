#include "tuner/least_squares.h"

#include <numeric>
#include <utility>

#include "tuner/linear.h"

namespace feedrate {
namespace {

constexpr double kWorthIt = 1e-2;  // Of the sum of squares, in one iteration.

double squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

// One row a parameter: d residual / d parameter.
std::vector<std::vector<double>> jacobian(const Residuals& residuals, std::vector<double> at,
                                          const std::vector<double>& here, double difference) {
  std::vector<std::vector<double>> rows;
  for (double& parameter : at) {
    const double before = std::exchange(parameter, parameter + difference);
    std::vector<double> row = residuals(at);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = (row[i] - here[i]) / difference;
    rows.push_back(std::move(row));
    parameter = before;
  }
  return rows;
}

// (JᵀJ + damping·diag(JᵀJ)) step = -Jᵀr; nothing where that cannot be solved.
std::vector<double> damped_step(const std::vector<std::vector<double>>& rows,
                                const std::vector<double>& here, double damping) {
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  SquareMatrix normal(rows.size());
  std::vector<double> right;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) normal.at(i, j) = product(rows[i], rows[j]);
    normal.at(i, i) = normal.at(i, i) * (1.0 + damping) + 1e-9;
    right.push_back(-product(rows[i], here));
  }
  const auto lower = cholesky(normal);
  return lower ? cholesky_solve(*lower, right) : std::vector<double>();
}

}  // namespace

std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start,
                                  double difference, std::size_t iterations) {
  std::vector<double> here = residuals(start);
  double damping = 0.1;
  double gain = 1.0;
  for (std::size_t i = 0; i < iterations && gain > kWorthIt; ++i) {
    gain = 0.0;
    const auto rows = jacobian(residuals, start, here, difference);
    for (int tries = 0; tries < 5; ++tries) {
      const std::vector<double> step = damped_step(rows, here, damping);
      std::vector<double> there = start;
      for (std::size_t k = 0; k < step.size(); ++k) there[k] += step[k];
      std::vector<double> after = residuals(there);
      if (squares(after) < squares(here)) {
        gain = 1.0 - squares(after) / squares(here);
        start = std::move(there);
        here = std::move(after);
        damping *= 0.3;
        break;
      }
      damping *= 4.0;
    }
  }
  return start;
}

}  // namespace feedrate
