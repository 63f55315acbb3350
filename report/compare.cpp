#include "report/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "report/best.h"
#include "report/cell_text.h"
#include "report/format.h"

namespace feedrate {
namespace {

using CellIndex = std::map<std::string, std::vector<const CellResult*>>;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> only_in(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> rest = names;
  std::erase_if(rest, [&](const std::string& name) { return contains(others, name); });
  return rest;
}

std::vector<std::string> in_both(const std::vector<std::string>& names,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> both = names;
  std::erase_if(both, [&](const std::string& name) { return !contains(others, name); });
  return both;
}

CellIndex index_cells(const RunResult& run, const std::vector<std::string>& names) {
  CellIndex index;
  for (const CellResult& cell : run.cells) index[describe(cell, names)].push_back(&cell);
  return index;
}

const double* rate_of(const CellResult& cell) {
  const double* const rate = find_metric(cell.metrics, "samples_per_second");
  const bool is_usable =
      cell.outcome == Outcome::kOk && rate != nullptr && std::isfinite(*rate) && *rate > 0.0;
  return is_usable ? rate : nullptr;
}

std::optional<Interval> ratio_interval(const CellResult& a, const CellResult& b, double ratio) {
  const std::optional<Interval> of_a = rate_interval(a);
  const std::optional<Interval> of_b = rate_interval(b);
  if (!of_a || !of_b) return std::nullopt;
  const double half_a = (of_a->high - of_a->low) / 2.0 / *rate_of(a);
  const double half_b = (of_b->high - of_b->low) / 2.0 / *rate_of(b);
  const double half = ratio * std::hypot(half_a, half_b);
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
      : a_(a), b_(b), names_(in_both(setting_names(a), setting_names(b))) {
    result_.threshold = threshold;
  }

  Comparison compare() {
    result_.settings_only_in_a = only_in(setting_names(a_), names_);
    result_.settings_only_in_b = only_in(setting_names(b_), names_);
    result_.environment = environment_differences(a_.environment, b_.environment);
    result_.simulation_a = simulation_notice(a_);
    result_.simulation_b = simulation_notice(b_);
    compare_constants();
    match_cells();
    return std::move(result_);
  }

 private:
  void compare_constants() {
    const std::vector<std::string> constant_b = constant_settings(b_);
    for (const std::string& name : constant_settings(a_)) {
      if (!contains(constant_b, name)) continue;
      const std::string of_a = constant_text(a_, name);
      const std::string of_b = constant_text(b_, name);
      if (of_a != of_b) result_.constants.push_back({name, of_a, of_b});
    }
  }

  void match_cells() {
    const CellIndex in_a = index_cells(a_, names_);
    const CellIndex in_b = index_cells(b_, names_);
    for (const CellResult& cell : a_.cells) {
      const std::string key = describe(cell, names_);
      const std::vector<const CellResult*>& same = in_a.at(key);
      if (same.front() != &cell) continue;
      const auto other = in_b.find(key);
      if (other == in_b.end()) {
        result_.unmatched_a.push_back(name_of(cell));
      } else if (same.size() > 1 || other->second.size() > 1) {
        result_.ambiguous.push_back(name_of(cell));
      } else {
        compare_cells(cell, *other->second.front());
      }
    }
    for (const CellResult& cell : b_.cells) {
      const std::string key = describe(cell, names_);
      if (in_a.count(key) == 0 && in_b.at(key).front() == &cell) {
        result_.unmatched_b.push_back(name_of(cell));
      }
    }
  }

  void compare_cells(const CellResult& a, const CellResult& b) {
    const double* const rate_a = rate_of(a);
    const double* const rate_b = rate_of(b);
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
    const auto text = [](const CellResult& cell) {
      return cell.reason.empty() ? std::string(to_string(cell.outcome))
                                 : fmt::format("{} ({})", to_string(cell.outcome), cell.reason);
    };
    if (a.outcome == b.outcome && a.outcome != Outcome::kOk) return;
    result_.not_compared.push_back({name_of(a), text(a), text(b)});
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
