// SPDX-License-Identifier: Apache-2.0
#include "analysis/effects.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "analysis/best.h"
#include "analysis/cell_fits.h"
#include "analysis/cell_text.h"
#include "analysis/noise.h"
#include "analysis/reference.h"
#include "core/block_contrast.h"
#include "core/statistics.h"
#include "plan/canonicalize.h"

namespace feedrate {
namespace {

constexpr double kEffectConfidence = 0.95;

// Cells by index: one with a value, one with the reference value.
struct Pair {
  std::size_t with = 0;
  std::size_t without = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

using Pairs = std::vector<Pair>;

std::string key_of(const Settings& settings) {
  std::string key;
  for (const Setting& one : settings) key += one.name + '=' + to_string(one.value) + '\n';
  return key;
}

std::vector<const CellResult*> cells_with_rates(const RunResult& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult* cell : choosable_cells(run)) {
    const double rate = rate_of(*cell);
    if (cell->outcome == Outcome::kOk && std::isfinite(rate) && rate > 0.0) cells.push_back(cell);
  }
  return cells;
}

// The weights of the mean over pairs of effect(with) - effect(without).
std::map<std::size_t, double> weights_of(const Pairs& pairs, double scale = 1.0) {
  std::map<std::size_t, double> weights;
  const double each = scale / static_cast<double>(pairs.size());
  for (const Pair& pair : pairs) {
    weights[pair.with] += each;
    weights[pair.without] -= each;
  }
  return weights;
}

class Effects {
 public:
  explicit Effects(const RunResult& run)
      : tolerance_(run.tolerance), cells_(cells_with_rates(run)), names_(varying_settings(cells_)) {
    if (cells_.size() < 2) return;
    fits_ = fit_cells(cells_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      by_settings_.emplace(key_of(cells_[i]->settings), i);
    }
  }

  std::vector<Effect> all() const {
    std::vector<Effect> effects;
    std::vector<Pairs> pairs;
    for (const std::string& name : names_) {
      for (auto& [value, members] : pairs_of(name)) {
        effects.push_back(
            {name, value, reference_value(cells_, name), members.size(), gain_of(members)});
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
  using ByValue = std::vector<std::pair<std::string, Pairs>>;

  static Pairs& at(ByValue& values, const std::string& value) {
    const auto known = std::find_if(values.begin(), values.end(),
                                    [&](const auto& entry) { return entry.first == value; });
    return known != values.end() ? known->second : values.emplace_back(value, Pairs()).second;
  }

  // The cell with these settings but for one; nothing where it was not measured.
  [[nodiscard]] std::optional<std::size_t> counterpart(const CellResult& cell,
                                                       const std::string& name,
                                                       const SettingValue& value) const {
    Settings settings = cell.settings;
    for (Setting& one : settings) {
      if (one.name == name) one.value = value;
    }
    canonicalize(settings);
    const auto found = by_settings_.find(key_of(settings));
    return found == by_settings_.end() ? std::nullopt : std::optional(found->second);
  }

  // From both sides: what has no meaning in one cell follows from the other one only.
  [[nodiscard]] ByValue pairs_of(const std::string& name) const {
    const std::string reference = reference_value(cells_, name);
    std::map<std::string, SettingValue> values;
    ByValue pairs;
    for (const CellResult* cell : cells_) {
      const std::string text = setting_text(*cell, name);
      if (text.empty()) continue;
      values.emplace(text, *find_setting(cell->settings, name));
      if (text != reference) at(pairs, text);
    }
    std::map<std::string, std::set<Pair>> found;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::string text = setting_text(*cells_[i], name);
      if (text.empty()) continue;
      for (const auto& [value, of] : values) {
        if (value == text || (text != reference && value != reference)) continue;
        const std::optional<std::size_t> other = counterpart(*cells_[i], name, of);
        if (!other || setting_text(*cells_[*other], name) != value) continue;
        if (text == reference) {
          found[value].insert({*other, i});
        } else {
          found[text].insert({i, *other});
        }
      }
    }
    for (auto& [value, members] : pairs) members.assign(found[value].begin(), found[value].end());
    std::erase_if(pairs, [](const auto& entry) { return entry.second.empty(); });
    return pairs;
  }

  [[nodiscard]] RateRatio gain_of(const Pairs& pairs) const {
    const Contrast mean = contrast_of(fits_, weights_of(pairs));
    double half = half_interval(mean, kEffectConfidence);
    if (!std::isfinite(half)) half = half_by_pairs(pairs);
    return rate_ratio(mean.value, std::sqrt(2.0) * half);
  }

  // Cells with one start each tell their noise by the scatter of the pairs, which holds the
  // interactions, too: the interval is too wide rather than too narrow.
  [[nodiscard]] double half_by_pairs(const Pairs& pairs) const {
    std::vector<double> differences;
    for (const Pair& pair : pairs) {
      differences.push_back(fits_[pair.with].effect - fits_[pair.without].effect);
    }
    const Interval interval = confidence_interval(differences, kEffectConfidence);
    return (interval.high - interval.low) / 2.0;
  }

  // The value of another setting that a pair has; empty where it has none.
  [[nodiscard]] std::string value_beside(const Pair& pair, const std::string& name) const {
    const std::string with = setting_text(*cells_[pair.with], name);
    return with.empty() ? setting_text(*cells_[pair.without], name) : with;
  }

  [[nodiscard]] ByValue split(const Pairs& pairs, const std::string& name) const {
    ByValue values;
    for (const Pair& pair : pairs) {
      const std::string value = value_beside(pair, name);
      if (!value.empty()) at(values, value).push_back(pair);
    }
    return values;
  }

  template <typename Visit>
  void visit_others(const std::string& setting, const Pairs& pairs, const Visit& visit) const {
    for (const std::string& other : names_) {
      if (other == setting) continue;
      const ByValue values = split(pairs, other);
      if (values.size() > 1) visit(other, values);
    }
  }

  [[nodiscard]] std::size_t count_tests(const std::vector<Pairs>& all) const {
    std::size_t tests = 0;
    for (const Pairs& pairs : all) {
      visit_others("", pairs, [&](const std::string&, const ByValue&) { ++tests; });
    }
    return tests;
  }

  [[nodiscard]] std::vector<Interaction> interactions_of(const std::string& setting,
                                                         const Pairs& pairs,
                                                         std::size_t tests) const {
    std::vector<Interaction> interactions;
    visit_others(setting, pairs, [&](const std::string& other, const ByValue& values) {
      Interaction one{other, 1.0, {}};
      for (const auto& [value, members] : values) {
        one.beside.push_back({value, members.size(), gain_of(members)});
      }
      if (!differ(values, tests, one.spread)) return;
      interactions.push_back(std::move(one));
    });
    std::stable_sort(
        interactions.begin(), interactions.end(),
        [](const Interaction& a, const Interaction& b) { return a.spread > b.spread; });
    return interactions;
  }

  // By Bonferroni's bound for all differences of two values in all interactions.
  [[nodiscard]] bool differ(const ByValue& values, std::size_t tests, double& spread) const {
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
    return difference.value - half_interval(difference, each) > 0.0 && spread - 1.0 > tolerance_;
  }

  double tolerance_;
  std::vector<const CellResult*> cells_;
  std::vector<std::string> names_;
  std::vector<TreatmentFit> fits_;
  std::map<std::string, std::size_t> by_settings_;
};

}  // namespace

std::vector<Effect> effects_of(const RunResult& run) { return Effects(run).all(); }

}  // namespace feedrate
