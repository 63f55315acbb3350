// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/least_squares.h"

#include <utility>

#include <Eigen/Cholesky>

namespace feedrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kWorthIt = 1e-2;  // Least relative gain of an iteration.

// MINPACK's method (Eigen's unsupported/LevenbergMarquardt) does not fit: residuals are replays,
// which are expensive and not smooth. Few coarse iterations suffice.
class Fit {
 public:
  Fit(const Residuals& residuals, std::vector<double> start, double difference)
      : residuals_(residuals),
        difference_(difference),
        at_(std::move(start)),
        here_(evaluate(at_)) {}

  /// Returns the relative decrease of the sum of squares.
  double improve() {
    const MatrixXd slopes = jacobian();
    for (int tries = 0; tries < 5; ++tries) {
      std::vector<double> there = at_;
      to_vector(there) += damped_step(slopes);
      VectorXd after = evaluate(there);
      if (after.squaredNorm() < here_.squaredNorm()) {
        const double gain = 1.0 - after.squaredNorm() / here_.squaredNorm();
        at_ = std::move(there);
        here_ = std::move(after);
        damping_ *= 0.3;
        return gain;
      }
      damping_ *= 4.0;
    }
    return 0.0;
  }

  [[nodiscard]] const std::vector<double>& parameters() const { return at_; }

 private:
  static Eigen::Map<VectorXd> to_vector(std::vector<double>& values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
  }

  [[nodiscard]] VectorXd evaluate(std::span<const double> parameters) const {
    std::vector<double> values = residuals_(parameters);
    return to_vector(values);
  }

  // Columns: d residual / d parameter.
  [[nodiscard]] MatrixXd jacobian() const {
    std::vector<double> near = at_;
    MatrixXd slopes(here_.size(), static_cast<Eigen::Index>(near.size()));
    for (std::size_t i = 0; i < near.size(); ++i) {
      const double before = std::exchange(near[i], near[i] + difference_);
      slopes.col(static_cast<Eigen::Index>(i)) = (evaluate(near) - here_) / difference_;
      near[i] = before;
    }
    return slopes;
  }

  // Solves (JᵀJ + damping·diag(JᵀJ)) step = -Jᵀr; 0 if it is not solvable.
  [[nodiscard]] VectorXd damped_step(const MatrixXd& slopes) const {
    MatrixXd normal = slopes.transpose() * slopes;
    normal.diagonal() *= 1.0 + damping_;
    normal.diagonal().array() += 1e-9;
    const Eigen::LLT<MatrixXd> factor(normal);
    VectorXd step = factor.solve(-(slopes.transpose() * here_));
    const bool is_solved = factor.info() == Eigen::Success && step.allFinite();
    if (!is_solved) step.setZero();
    return step;
  }

  const Residuals& residuals_;
  double difference_;
  double damping_ = 0.1;
  std::vector<double> at_;
  VectorXd here_;
};

}  // namespace

std::vector<double> least_squares(const Residuals& residuals, std::vector<double> start,
                                  double difference, std::size_t iterations) {
  Fit fit(residuals, std::move(start), difference);
  double gain = 1.0;
  for (std::size_t i = 0; i < iterations && gain > kWorthIt; ++i) gain = fit.improve();
  return fit.parameters();
}

}  // namespace feedrate
