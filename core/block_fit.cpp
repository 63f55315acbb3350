// SPDX-License-Identifier: Apache-2.0
#include "core/block_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kInfiniteValue = std::numeric_limits<double>::infinity();
constexpr double kHuber = 1.345;  // 95 % as efficient as least squares for normal errors
constexpr int kReweightings = 12;
constexpr int kPasses = 6;  // passes per weighted fit; the next fit continues from its result
constexpr double kNormalOfMedian = 1.482602;  // normal deviation / median of absolute values

class Fit {
 public:
  Fit(std::span<const BlockValue> values, std::size_t treatments)
      : values_(values), weights_(values.size(), 1.0), effects_(treatments), counts_(treatments) {
    std::size_t blocks = 0;
    for (const BlockValue& one : values) {
      blocks = std::max(blocks, one.block + 1);
      ++counts_[one.treatment];
    }
    offsets_.resize(blocks);
    std::vector<bool> is_used(blocks);
    for (const BlockValue& one : values) is_used[one.block] = true;
    const auto used = static_cast<double>(std::count(is_used.begin(), is_used.end(), true));
    freedom_ = static_cast<double>(values.size()) - static_cast<double>(treatments) - used + 1.0;
  }

  std::vector<TreatmentFit> fit() {
    find_effects();
    std::vector<TreatmentFit> fits(effects_.size());
    for (std::size_t i = 0; i < fits.size(); ++i) fits[i].effect = effects_[i];
    for (const BlockValue& one : values_) fits[one.treatment].blocks.push_back(one.block);
    for (TreatmentFit& one : fits) std::sort(one.blocks.begin(), one.blocks.end());
    add_deviations(fits);
    return fits;
  }

 private:
  [[nodiscard]] double residual(const BlockValue& one) const {
    return one.value - effects_[one.treatment] - offsets_[one.block];
  }

  void find_effects() {
    for (int i = 0; i < kReweightings; ++i) {
      for (int pass = 0; pass < kPasses; ++pass) {
        average(effects_, &BlockValue::treatment, offsets_, &BlockValue::block);
        average(offsets_, &BlockValue::block, effects_, &BlockValue::treatment);
      }
      if (!(freedom_ > 0.0) || !reweigh()) return;
    }
  }

  void average(std::vector<double>& means, std::size_t BlockValue::*own,
               const std::vector<double>& others, std::size_t BlockValue::*other) const {
    std::vector<double> sums(means.size()), weights(means.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      sums[values_[i].*own] += weights_[i] * (values_[i].value - others[values_[i].*other]);
      weights[values_[i].*own] += weights_[i];
    }
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (weights[i] > 0.0) means[i] = sums[i] / weights[i];
    }
  }

  bool reweigh() {
    std::vector<double> sizes;
    for (const BlockValue& one : values_) sizes.push_back(std::abs(residual(one)));
    const double share = freedom_ / static_cast<double>(values_.size());
    const double bound = kHuber * kNormalOfMedian * median(sizes) / std::sqrt(share);
    if (bound < 1e-12) return false;
    for (std::size_t i = 0; i < sizes.size(); ++i) weights_[i] = std::min(1.0, bound / sizes[i]);
    return true;
  }

  // The unweighted residuals count: disturbed values make an effect less certain.
  void add_deviations(std::vector<TreatmentFit>& fits) const {
    std::vector<double> squares(fits.size());
    for (const BlockValue& one : values_) squares[one.treatment] += residual(one) * residual(one);
    double all = 0.0, spare = 0.0;
    for (std::size_t i = 0; i < fits.size(); ++i) {
      all += squares[i];
      spare += static_cast<double>(counts_[i]) - 1.0;
    }
    if (!(freedom_ > 0.0) || !(spare > 0.0)) {
      for (TreatmentFit& one : fits) one.deviation = kInfiniteValue;
      return;
    }
    std::vector<double> freedoms;
    for (const std::size_t count : counts_) {
      freedoms.push_back(freedom_ * (static_cast<double>(count) - 1.0) / spare);
    }
    const double pooled = all / freedom_;
    const double prior = prior_freedom(squares, freedoms, pooled);
    for (std::size_t i = 0; i < fits.size(); ++i) {
      const double freedom = prior + freedoms[i];
      fits[i].deviation = std::sqrt((prior * pooled + squares[i]) / freedom);
      fits[i].freedom = std::min(freedom, freedom_);
    }
  }

  // The scatter of the log variances tells how alike the treatments are: if it is not larger than
  // chance makes it, they share one variance.
  [[nodiscard]] double prior_freedom(const std::vector<double>& squares,
                                     const std::vector<double>& freedoms, double pooled) const {
    std::vector<double> logs;
    double by_chance = 0.0;
    for (std::size_t i = 0; i < squares.size(); ++i) {
      if (!(freedoms[i] > 0.0)) continue;
      const double half = freedoms[i] / 2.0;
      const double variance = std::max(squares[i] / freedoms[i], 1e-12 * pooled + 1e-300);
      logs.push_back(std::log(variance) - boost::math::digamma(half) + std::log(half));
      by_chance += boost::math::trigamma(half);
    }
    if (logs.size() < 3) return freedom_;
    const double deviation = sample_stddev(logs);
    const double excess = deviation * deviation - by_chance / static_cast<double>(logs.size());
    return excess > 0.0 ? std::min(freedom_, 2.0 * inverse_trigamma(excess)) : freedom_;
  }

  // Newton's method on 1 / trigamma, which is nearly linear.
  static double inverse_trigamma(double value) {
    double x = 0.5 + 1.0 / value;
    for (int i = 0; i < 50; ++i) {
      const double at = boost::math::trigamma(x);
      const double step = at * (1.0 - at / value) / boost::math::polygamma(2, x);
      x += step;
      if (std::abs(step) < 1e-8 * x) break;
    }
    return x;
  }

  std::span<const BlockValue> values_;
  std::vector<double> weights_;
  std::vector<double> effects_;
  std::vector<double> offsets_;
  std::vector<std::size_t> counts_;
  double freedom_ = 0.0;
};

}  // namespace

std::vector<TreatmentFit> fit_blocks(std::span<const BlockValue> values, std::size_t treatments) {
  return Fit(values, treatments).fit();
}

double error_of_difference(const TreatmentFit& a, const TreatmentFit& b) {
  std::vector<std::size_t> common;
  std::set_intersection(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                        std::back_inserter(common));
  return std::sqrt((a.deviation * a.deviation + b.deviation * b.deviation) /
                   static_cast<double>(common.size()));
}

}  // namespace feedrate
