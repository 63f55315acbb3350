#include "report/compare.h"

#include <algorithm>
#include <cmath>

#include "report/cell_text.h"
#include "report/format.h"
#include "report/noise.h"

namespace feedrate {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> only_in(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> rest = names;
  std::erase_if(rest, [&](const std::string& name) { return contains(others, name); });
  return rest;
}

const double* usable_rate(const CellResult& cell) {
  const double* const rate = find_metric(cell.metrics, "samples_per_second");
  const bool is_usable =
      cell.outcome == Outcome::kOk && rate != nullptr && std::isfinite(*rate) && *rate > 0.0;
  return is_usable ? rate : nullptr;
}

std::optional<Interval> ratio_interval(const CellResult& a, const CellResult& b, double ratio) {
  const std::optional<Interval> of_a = rate_interval(a);
  const std::optional<Interval> of_b = rate_interval(b);
  if (!of_a || !of_b) return std::nullopt;
  const double half_a = (of_a->high - of_a->low) / 2.0 / *usable_rate(a);
  const double half_b = (of_b->high - of_b->low) / 2.0 / *usable_rate(b);
  const double half = ratio * std::sqrt(half_a * half_a + half_b * half_b);
  return Interval{ratio - half, ratio + half};
}

std::optional<double> loading_time_ratio(const CellResult& a, const CellResult& b) {
  const double* const of_a = find_metric(a.metrics, "loading_time");
  const double* const of_b = find_metric(b.metrics, "loading_time");
  if (of_a == nullptr || of_b == nullptr || !(*of_a > 0.0) || !std::isfinite(*of_b)) {
    return std::nullopt;
  }
  return *of_b / *of_a;
}

std::vector<Difference> environment_differences(const Environment& a, const Environment& b) {
  std::vector<Difference> differences;
  if (a.facts.empty() || b.facts.empty()) return differences;
  const auto value_in = [](const Environment& environment, const std::string& name) {
    const auto found = std::find_if(environment.facts.begin(), environment.facts.end(),
                                    [&](const Fact& fact) { return fact.name == name; });
    return found == environment.facts.end() ? std::string(kMissing) : found->value;
  };
  for (const Fact& fact : a.facts) {
    const std::string other = value_in(b, fact.name);
    if (other != fact.value) differences.push_back({fact.name, fact.value, other});
  }
  for (const Fact& fact : b.facts) {
    if (value_in(a, fact.name) == kMissing)
      differences.push_back({fact.name, kMissing, fact.value});
  }
  return differences;
}

class Comparer {
 public:
  Comparer(const RunResult& a, const RunResult& b, double threshold)
      : a_(a), b_(b), names_(common_settings(a, b)) {
    result_.threshold = threshold;
  }

  Comparison compare() {
    result_.settings_only_in_a = only_in(setting_names(a_), names_);
    result_.settings_only_in_b = only_in(setting_names(b_), names_);
    result_.environment = environment_differences(a_.environment, b_.environment);
    result_.simulation_a = simulation_notice(a_);
    result_.simulation_b = simulation_notice(b_);
    result_.constants = differing_constants(a_, b_);
    compare_matches();
    return std::move(result_);
  }

 private:
  void compare_matches() {
    const MatchedCells matched = match_cells(a_, b_, names_);
    for (const CellPair& pair : matched.pairs) compare_cells(*pair.a, *pair.b);
    for (const CellResult* cell : matched.unmatched_a) {
      result_.unmatched_a.push_back(name_of(*cell));
    }
    for (const CellResult* cell : matched.unmatched_b) {
      result_.unmatched_b.push_back(name_of(*cell));
    }
    for (const CellResult* cell : matched.ambiguous) result_.ambiguous.push_back(name_of(*cell));
  }

  void compare_cells(const CellResult& a, const CellResult& b) {
    const double* const rate_a = usable_rate(a);
    const double* const rate_b = usable_rate(b);
    if (rate_a == nullptr || rate_b == nullptr) {
      note_unmeasured(a, b);
      return;
    }
    ComparedCell cell;
    cell.name = name_of(a);
    cell.rate_a = *rate_a;
    cell.rate_b = *rate_b;
    cell.ratio = *rate_b / *rate_a;
    cell.ratio_interval = ratio_interval(a, b, cell.ratio);
    cell.loading_time_ratio = loading_time_ratio(a, b);
    cell.is_regression = cell.ratio < 1.0 - result_.threshold &&
                         (!cell.ratio_interval || cell.ratio_interval->high < 1.0);
    result_.cells.push_back(std::move(cell));
  }

  void note_unmeasured(const CellResult& a, const CellResult& b) {
    if (a.outcome == b.outcome && a.outcome != Outcome::kOk) return;
    result_.not_compared.push_back({name_of(a), outcome_text(a), outcome_text(b)});
    if (a.outcome == Outcome::kOk && b.outcome == Outcome::kFailed) {
      result_.broken.push_back(name_of(a));
    }
  }

  // By what varies in either result; all of it where a setting is constant in both is noise.
  [[nodiscard]] std::string name_of(const CellResult& cell) const {
    const std::vector<std::string> varying_a = varying_settings(a_);
    const std::vector<std::string> varying_b = varying_settings(b_);
    std::vector<std::string> shown = names_;
    std::erase_if(shown, [&](const std::string& name) {
      return !contains(varying_a, name) && !contains(varying_b, name);
    });
    return name_cell(cell, shown);
  }

  const RunResult& a_;
  const RunResult& b_;
  std::vector<std::string> names_;  // Of the settings in both.
  Comparison result_;
};

}  // namespace

bool Comparison::has_regression() const {
  return !broken.empty() || std::any_of(cells.begin(), cells.end(), [](const ComparedCell& cell) {
    return cell.is_regression;
  });
}

Comparison compare_runs(const RunResult& a, const RunResult& b, double threshold) {
  return Comparer(a, b, threshold).compare();
}

}  // namespace feedrate
