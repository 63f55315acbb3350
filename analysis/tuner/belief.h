// SPDX-License-Identifier: Apache-2.0
// Estimates every candidate's rate and its uncertainty: the model's prediction, updated by
// measurements of the candidate and of its neighbors. Pure; any thread.
//
// The logarithm of a candidate's rate is the prediction plus the model's error. Errors are similar
// for similar settings: a Gaussian process over the settings whose correlation falls exponentially
// with their distance, plus an independent error per cell (Rasmussen and Williams, Gaussian
// Processes for Machine Learning, 2.2 and 4.2.1, the exponential kernel). Each start of the loader
// measures the rate with independent noise. Since both deviations are estimated from few figures,
// draws follow the multivariate t distribution with the same degrees of freedom.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/setting.h"

namespace feedrate {

/// A candidate's prediction and measurements; logarithms of samples per second.
struct RateEvidence {
  const Settings* settings = nullptr;
  double predicted = 0.0;
  std::vector<double> starts;  ///< one per loader start
  /// Upper bound of the rate: that of the mock loader.
  double limit = std::numeric_limits<double>::infinity();
};

/// Deviations of logarithms: 0.05 is about 5 %.
struct RateDeviations {
  double model = 0.05;   ///< of predictions of unmeasured cells
  double noise = 0.02;   ///< from start to start
  double freedom = 4.0;  ///< degrees of freedom of `model`
  double noise_freedom = 2.0;
};

/// The settings that affect the rate between the start and the end of an epoch; persistent_workers
/// and drop_last, which act only there, are left out.
struct RateFeatures {
  double workers = 0.0;  ///< log2(num_workers + 1)
  double prefetch = 0.0;
  std::vector<std::string> others;  ///< empty: no meaning

  friend bool operator==(const RateFeatures&, const RateFeatures&) = default;
};

[[nodiscard]] RateFeatures rate_features(const Settings& settings);

/// Correlation of the model's errors: 1 for equal features. Half of the variance is a cell's own;
/// the shared half is divided by e^0.5 for each doubling of num_workers or prefetch_factor, and for
/// each other difference. REQUIRES: settings with the same names in the same order
[[nodiscard]] double similarity(const RateFeatures& a, const RateFeatures& b);

class RateBelief {
 public:
  /// REQUIRES: evidence outlives it; positive deviations
  RateBelief(std::span<const RateEvidence> evidence, const RateDeviations& deviations);

  [[nodiscard]] double mean(std::size_t candidate) const { return means_[candidate]; }
  [[nodiscard]] double deviation(std::size_t candidate) const { return deviations_[candidate]; }

  /// Draws all rates jointly, `count` times: [draw][candidate]. A candidate that cannot be the best
  /// (its mean is four deviations below another's, or 200 others are better) always gets its mean.
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
