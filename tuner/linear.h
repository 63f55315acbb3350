// Symmetric positive definite systems, small ones. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace feedrate {

/// Square, row by row.
class SquareMatrix {
 public:
  explicit SquareMatrix(std::size_t size) : size_(size), values_(size * size) {}
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return values_[row * size_ + column];
  }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values_[row * size_ + column];
  }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

/// The lower triangle L with L·Lᵀ = `matrix`; nothing where it is not positive definite. Only the
/// lower triangle of `matrix` is read. (Golub and Van Loan, Matrix Computations, 4.2.)
[[nodiscard]] std::optional<SquareMatrix> cholesky(const SquareMatrix& matrix);

/// x with L·Lᵀ·x = `right`.
[[nodiscard]] std::vector<double> cholesky_solve(const SquareMatrix& lower,
                                                 std::span<const double> right);

/// x with L·x = `right`.
[[nodiscard]] std::vector<double> forward_solve(const SquareMatrix& lower,
                                                std::span<const double> right);

}  // namespace feedrate
