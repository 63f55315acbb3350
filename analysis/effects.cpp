// SPDX-License-Identifier: Apache-2.0
#include "analysis/effects.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_fits.h"
#include "analysis/cell_text.h"
#include "analysis/effect_pairs.h"
#include "analysis/reference.h"
#include "core/block_contrast.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kEffectConfidence = 0.95;

using Pairs = std::vector<EffectPair>;

std::map<std::size_t, double> weights_of(const Pairs& pairs, double scale = 1.0) {
  std::map<std::size_t, double> weights;
  const double each = scale / static_cast<double>(pairs.size());
  for (const EffectPair& pair : pairs) {
    weights[pair.with] += each;
    weights[pair.without] -= each;
  }
  return weights;
}

class Effects {
 public:
  explicit Effects(const RunResult& run)
      : run_(run), cells_(measured_cells(run)), names_(varying_settings(cells_)), pairs_(cells_) {
    if (cells_.size() < 2) return;
    fits_ = fit_cells(cells_);
  }

  std::vector<Effect> all() const {
    std::vector<Effect> effects;
    std::vector<Pairs> pairs;
    for (const std::string& name : names_) {
      const std::string reference = reference_of(name);
      for (auto& [value, members] : pairs_.of(name, reference)) {
        effects.push_back({name, value, reference, members.size(), gain_of(members)});
        pairs.push_back(std::move(members));
      }
    }
    const std::size_t tests = count_tests(pairs);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      effects[i].interactions = interactions_of(effects[i].setting, pairs[i], tests);
    }
    return effects;
  }

 private:
  // The reference follows the plan's order, limited to measured values, so an interrupted run
  // works, too.
  [[nodiscard]] std::string reference_of(const std::string& setting) const {
    std::vector<const CellResult*> known = choosable_cells(run_);
    std::erase_if(known, [&](const CellResult* planned) {
      return std::none_of(cells_.begin(), cells_.end(), [&](const CellResult* cell) {
        return setting_text(*cell, setting) == setting_text(*planned, setting);
      });
    });
    return reference_value(known, setting);
  }

  [[nodiscard]] RateRatio gain_of(const Pairs& pairs) const {
    const Contrast mean = contrast_of(fits_, weights_of(pairs));
    double half = half_interval(mean, kEffectConfidence);
    if (!std::isfinite(half)) half = half_by_pairs(pairs);
    return rate_ratio(mean.value, std::sqrt(2.0) * half);
  }

  // For cells with one start each, the scatter of the pairs replaces the noise. It includes
  // interactions, so the interval is rather too wide than too narrow.
  [[nodiscard]] double half_by_pairs(const Pairs& pairs) const {
    std::vector<double> differences;
    for (const EffectPair& pair : pairs) {
      differences.push_back(fits_[pair.with].effect - fits_[pair.without].effect);
    }
    const Interval interval = confidence_interval(differences, kEffectConfidence);
    return (interval.high - interval.low) / 2.0;
  }

  [[nodiscard]] std::string other_value(const EffectPair& pair, const std::string& name) const {
    const std::string with = setting_text(*cells_[pair.with], name);
    return with.empty() ? setting_text(*cells_[pair.without], name) : with;
  }

  [[nodiscard]] PairsByValue split(const Pairs& pairs, const std::string& name) const {
    PairsByValue values;
    for (const EffectPair& pair : pairs) {
      const std::string value = other_value(pair, name);
      if (!value.empty()) pairs_with(values, value).push_back(pair);
    }
    return values;
  }

  template <typename Visit>
  void visit_others(const std::string& setting, const Pairs& pairs, const Visit& visit) const {
    for (const std::string& other : names_) {
      if (other == setting) continue;
      const PairsByValue values = split(pairs, other);
      if (values.size() > 1) visit(other, values);
    }
  }

  [[nodiscard]] std::size_t count_tests(const std::vector<Pairs>& all) const {
    std::size_t tests = 0;
    for (const Pairs& pairs : all) {
      visit_others("", pairs, [&](const std::string&, const PairsByValue&) { ++tests; });
    }
    return tests;
  }

  [[nodiscard]] std::vector<Interaction> interactions_of(const std::string& setting,
                                                         const Pairs& pairs,
                                                         std::size_t tests) const {
    std::vector<Interaction> interactions;
    visit_others(setting, pairs, [&](const std::string& other, const PairsByValue& values) {
      Interaction one{other, 1.0, {}};
      for (const auto& [value, members] : values) {
        one.effects.push_back({value, members.size(), gain_of(members)});
      }
      if (!differ(values, tests, one.spread)) return;
      interactions.push_back(std::move(one));
    });
    std::stable_sort(
        interactions.begin(), interactions.end(),
        [](const Interaction& a, const Interaction& b) { return a.spread > b.spread; });
    return interactions;
  }

  // Bonferroni's level, over all differences of two values in all interactions.
  [[nodiscard]] bool differ(const PairsByValue& values, std::size_t tests, double& spread) const {
    const auto value_of = [&](const auto& entry) {
      return contrast_of(fits_, weights_of(entry.second)).value;
    };
    const auto [least, most] = std::minmax_element(
        values.begin(), values.end(),
        [&](const auto& a, const auto& b) { return value_of(a) < value_of(b); });
    std::map<std::size_t, double> weights = weights_of(most->second);
    for (const auto& [cell, weight] : weights_of(least->second, -1.0)) weights[cell] += weight;
    const Contrast difference = contrast_of(fits_, weights);
    spread = std::exp(difference.value);
    const auto pairs = static_cast<double>(values.size() * (values.size() - 1)) / 2.0;
    const double each = 1.0 - (1.0 - kEffectConfidence) / (static_cast<double>(tests) * pairs);
    return difference.value - half_interval(difference, each) > 0.0 &&
           spread - 1.0 > run_.tolerance;
  }

  const RunResult& run_;
  std::vector<const CellResult*> cells_;
  std::vector<std::string> names_;
  EffectPairs pairs_;
  std::vector<TreatmentFit> fits_;
};

}  // namespace

std::vector<Effect> effects_of(const RunResult& run) { return Effects(run).all(); }

}  // namespace feedrate
