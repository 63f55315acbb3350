#include "tuner/linear.h"

#include <cmath>

namespace feedrate {

std::optional<SquareMatrix> cholesky(const SquareMatrix& matrix) {
  const std::size_t size = matrix.size();
  SquareMatrix lower(size);
  for (std::size_t column = 0; column < size; ++column) {
    for (std::size_t row = column; row < size; ++row) {
      double sum = matrix.at(row, column);
      for (std::size_t k = 0; k < column; ++k) sum -= lower.at(row, k) * lower.at(column, k);
      if (row == column) {
        if (!(sum > 0.0)) return std::nullopt;
        lower.at(row, column) = std::sqrt(sum);
      } else {
        lower.at(row, column) = sum / lower.at(column, column);
      }
    }
  }
  return lower;
}

std::vector<double> forward_solve(const SquareMatrix& lower, std::span<const double> right) {
  std::vector<double> x(right.begin(), right.end());
  for (std::size_t row = 0; row < x.size(); ++row) {
    for (std::size_t k = 0; k < row; ++k) x[row] -= lower.at(row, k) * x[k];
    x[row] /= lower.at(row, row);
  }
  return x;
}

std::vector<double> cholesky_solve(const SquareMatrix& lower, std::span<const double> right) {
  std::vector<double> x = forward_solve(lower, right);
  for (std::size_t row = x.size(); row-- > 0;) {
    for (std::size_t k = row + 1; k < x.size(); ++k) x[row] -= lower.at(k, row) * x[k];
    x[row] /= lower.at(row, row);
  }
  return x;
}

}  // namespace feedrate
