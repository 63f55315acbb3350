// SPDX-License-Identifier: Apache-2.0
// What is known of every candidate's rate: the model's prediction, moved by the measurements of it
// and of its neighbours, and how far off that may be. Pure; any thread.
//
// The logarithm of a candidate's rate is the prediction plus the model's error. Errors are alike
// where settings are alike: a Gaussian process over the settings whose correlation falls
// exponentially with their distance, beside an error of each cell's own (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, 2.2 and 4.2.1, the exponential kernel). A start of the
// loader shows the rate with independent noise. Since both deviations are estimated from few
// figures, draws are of the multivariate t distribution with as many degrees of freedom.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/setting.h"

namespace feedrate {

/// Of one candidate; logarithms of samples per second.
struct RateEvidence {
  const Settings* settings = nullptr;
  double predicted = 0.0;
  std::vector<double> starts;  ///< measured, one a start of the loader
  /// No rate is above it: the mock loader's.
  double limit = std::numeric_limits<double>::infinity();
};

/// Of logarithms, so 0.05 is about 5 %.
struct RateDeviations {
  double model = 0.05;   ///< of predictions of cells that were not measured
  double noise = 0.02;   ///< from start to start
  double freedom = 4.0;  ///< of the model's, which decides what may be lost to other cells
  double noise_freedom = 2.0;
};

/// Of settings, all that matters to the rate between an epoch's start and its end; what acts there
/// only, as persistent_workers and drop_last, is left out.
struct RateFeatures {
  double workers = 0.0;  ///< log2(num_workers + 1)
  double prefetch = 0.0;
  std::vector<std::string> others;  ///< empty: has no meaning

  friend bool operator==(const RateFeatures&, const RateFeatures&) = default;
};

[[nodiscard]] RateFeatures rate_features(const Settings& settings);

/// Correlation of the model's errors: 1 for equal features. Half of an error is a cell's own; the
/// other half is shared with its neighbours: a doubling of num_workers, of prefetch_factor, or one
/// other difference divides it by e^0.5. REQUIRES: of settings with the same names in the same
/// order
[[nodiscard]] double similarity(const RateFeatures& a, const RateFeatures& b);

class RateBelief {
 public:
  /// REQUIRES: evidence outlives it; positive deviations
  RateBelief(std::span<const RateEvidence> evidence, const RateDeviations& deviations);

  [[nodiscard]] double mean(std::size_t candidate) const { return means_[candidate]; }
  [[nodiscard]] double deviation(std::size_t candidate) const { return deviations_[candidate]; }

  /// Of all rates at once, `count` times: [draw][candidate]. A candidate that cannot be the best
  /// (its mean is four deviations below another's, or 200 others are better) is at its mean always.
  [[nodiscard]] std::vector<std::vector<double>> draw(std::size_t count, std::uint64_t seed) const;

 private:
  [[nodiscard]] std::vector<std::size_t> plausible() const;
  [[nodiscard]] double prior(std::size_t a, std::size_t b) const;
  [[nodiscard]] double covariance(std::size_t a, std::size_t b) const;

  std::span<const RateEvidence> evidence_;
  RateDeviations assumed_;
  std::vector<RateFeatures> features_;
  std::vector<double> means_;
  std::vector<double> deviations_;
  /// L⁻¹ of the measured candidates' covariances, times the covariances with each candidate.
  std::vector<std::vector<double>> explained_;
};

}  // namespace feedrate
