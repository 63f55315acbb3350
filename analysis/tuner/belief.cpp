// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/belief.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>

#include "analysis/tuner/settings.h"
#include "bench/plan/knobs.h"
#include "core/random.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kLengthScale = 2.0;  // Per doubling or difference.
constexpr double kShared = 0.5;       // The shared part of an error's variance.

double other_differences(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  double differences = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!a[i].empty() && !b[i].empty() && a[i] != b[i]) differences += 1.0;
  }
  return differences;
}

double chi_square(RandomStream& random, double freedom) {
  double sum = 0.0;
  for (int i = 0; i < static_cast<int>(std::lround(freedom)); ++i) {
    const double normal = random.normal();
    sum += normal * normal;
  }
  return sum;
}

Eigen::Map<VectorXd> as_vector(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

template <typename Entry>
MatrixXd lower_triangle(const std::vector<std::size_t>& cells, Entry entry) {
  const auto size = static_cast<Eigen::Index>(cells.size());
  MatrixXd matrix = MatrixXd::Zero(size, size);
  for (Eigen::Index row = 0; row < size; ++row) {
    for (Eigen::Index column = 0; column <= row; ++column) {
      matrix(row, column) =
          entry(cells[static_cast<std::size_t>(row)], cells[static_cast<std::size_t>(column)]);
    }
  }
  return matrix;
}

}  // namespace

RateFeatures rate_features(const Settings& settings) {
  const LoopSettings loop = loop_settings(settings);
  const auto doublings = [](std::size_t count) {
    return std::log2(static_cast<double>(count) + 1.0);
  };
  RateFeatures features{doublings(loop.num_workers), doublings(loop.prefetch_factor), {}};
  for (const Setting& setting : settings) {
    const Knob* const knob = known_knob(setting.name);
    if (knob != nullptr && knob->is_alike) continue;
    features.others.push_back(to_string(setting.value));
  }
  return features;
}

double similarity(const RateFeatures& a, const RateFeatures& b) {
  const double distance = std::abs(a.workers - b.workers) + std::abs(a.prefetch - b.prefetch) +
                          other_differences(a.others, b.others);
  return distance == 0.0 ? 1.0 : kShared * std::exp(-distance / kLengthScale);
}

RateBelief::RateBelief(std::span<const RateEvidence> evidence, const RateDeviations& deviations)
    : evidence_(evidence), assumed_(deviations) {
  for (const RateEvidence& one : evidence) features_.push_back(rate_features(*one.settings));
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    if (!evidence[i].starts.empty()) measured.push_back(i);
  }
  MatrixXd seen = lower_triangle(measured, [this](auto a, auto b) { return prior(a, b); });
  std::vector<double> surprises;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const RateEvidence& one = evidence[measured[i]];
    const auto at = static_cast<Eigen::Index>(i);
    seen(at, at) += assumed_.noise * assumed_.noise / static_cast<double>(one.starts.size());
    surprises.push_back(feedrate::mean(one.starts) - one.predicted);
  }
  // Noise on the diagonal keeps it positive definite.
  const Eigen::LLT<MatrixXd> factor(seen);
  const VectorXd surprise = factor.matrixL().solve(as_vector(surprises));
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    std::vector<double>& shared = explained_.emplace_back();
    for (const std::size_t k : measured) shared.push_back(prior(i, k));
    auto explained = as_vector(shared);
    factor.matrixL().solveInPlace(explained);
    means_.push_back(std::min(evidence[i].predicted + surprise.dot(explained), evidence[i].limit));
    deviations_.push_back(std::sqrt(std::max(0.0, covariance(i, i))));
  }
}

double RateBelief::prior(std::size_t a, std::size_t b) const {
  return assumed_.model * assumed_.model * similarity(features_[a], features_[b]);
}

double RateBelief::covariance(std::size_t a, std::size_t b) const {
  return prior(a, b) -
         std::inner_product(explained_[a].begin(), explained_[a].end(), explained_[b].begin(), 0.0);
}

std::vector<std::size_t> RateBelief::plausible() const {
  constexpr std::size_t kMost = 200;
  constexpr double kDeviations = 4.0;
  const double best = *std::max_element(means_.begin(), means_.end());
  std::vector<std::size_t> chosen(means_.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::erase_if(chosen, [&](std::size_t i) {
    return means_[i] + kDeviations * (deviations_[i] + assumed_.noise) < best;
  });
  std::sort(chosen.begin(), chosen.end(),
            [&](std::size_t a, std::size_t b) { return means_[a] > means_[b]; });
  if (chosen.size() > kMost) chosen.resize(kMost);
  return chosen;
}

std::vector<std::vector<double>> RateBelief::draw(std::size_t count, std::uint64_t seed) const {
  const std::vector<std::size_t> drawn = plausible();
  MatrixXd joint = lower_triangle(drawn, [this](auto a, auto b) { return covariance(a, b); });
  joint.diagonal().array() += 1e-6 * assumed_.model * assumed_.model;  // Against rounding.
  const Eigen::LLT<MatrixXd> factor(joint);
  RandomStream random(seed);
  std::vector<std::vector<double>> draws(count, means_);
  VectorXd normals(joint.rows());
  for (std::vector<double>& rates : draws) {
    for (double& normal : normals) normal = random.normal();
    const double widening = std::sqrt(assumed_.freedom / chi_square(random, assumed_.freedom));
    const double limit_noise = assumed_.noise * random.normal();
    const VectorXd moved = factor.matrixL() * normals;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const double limit = evidence_[drawn[i]].limit + limit_noise;
      const double rate = means_[drawn[i]] + widening * moved(static_cast<Eigen::Index>(i));
      rates[drawn[i]] = std::min(rate, limit);
    }
  }
  return draws;
}

}  // namespace feedrate
