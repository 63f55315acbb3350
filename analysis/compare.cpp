// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/cell_text.h"
#include "analysis/compare_watched.h"
#include "analysis/compared_names.h"
#include "analysis/fairness.h"
#include "analysis/foreign_load.h"
#include "analysis/noise.h"
#include "analysis/whose_loader.h"
#include "bench/plan/knobs.h"
#include "core/contains.h"

namespace feedrate {
namespace {

// The largest drift of an idle machine between two runs.
constexpr double kMostBetweenRuns = 0.02;
constexpr double kNotableShift = 0.01;

bool is_instrument(std::string_view name) {
  const Knob* const knob = known_knob(name);
  return knob != nullptr && knob->role == KnobRole::kInstrument;
}

std::vector<std::string> only_in(const RunResult& run, const std::vector<std::string>& common) {
  std::vector<std::string> rest = setting_names(run);
  std::erase_if(rest, [&](const std::string& name) {
    return contains(common, name) || !has_meaning(run, name);
  });
  return rest;
}

std::string values_of(const RunResult& run, const std::string& name) {
  std::vector<std::string> values;
  for (const CellResult& cell : run.cells) {
    const std::string value = setting_text(cell, name);
    if (!value.empty() && !contains(values, value)) values.push_back(value);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::optional<double> loading_time_ratio(const CellResult& a, const CellResult& b) {
  const double* const of_a = find_metric(a.metrics, "loading_time");
  const double* const of_b = find_metric(b.metrics, "loading_time");
  if (of_a == nullptr || of_b == nullptr || !(*of_a > 0.0) || !std::isfinite(*of_b)) {
    return std::nullopt;
  }
  return *of_b / *of_a;
}

Interval exp_of(const Interval& logs) { return {std::exp(logs.low), std::exp(logs.high)}; }

std::optional<Uncertain> uncertain_log_ratio(const CellPair& pair) {
  const std::optional<Uncertain> of_a = uncertain_rate(*pair.a);
  const std::optional<Uncertain> of_b = uncertain_rate(*pair.b);
  if (!of_a || !of_b) return std::nullopt;
  return log_ratio(*of_b, *of_a);
}

double log_ratio_of(const CellPair& pair) { return std::log(rate_of(*pair.b) / rate_of(*pair.a)); }

bool is_disturbed(const CellPair& pair) { return is_disturbed(*pair.a) || is_disturbed(*pair.b); }

std::string disturbed_in(const CellPair& pair, const TwoRuns& runs) {
  std::vector<std::string> labels;
  if (is_disturbed(*pair.a)) labels.push_back(runs.label_a);
  if (is_disturbed(*pair.b)) labels.push_back(runs.label_b);
  return fmt::format("{}", fmt::join(labels, " and "));
}

// The median; of the two middle values the one nearer to 0, or 0 between them.
double middle_shift(std::vector<double> shifts) {
  std::sort(shifts.begin(), shifts.end());
  const double low = shifts[(shifts.size() - 1) / 2], high = shifts[shifts.size() / 2];
  return low > 0.0 ? low : std::min(high, 0.0);
}

AgainstBaseline measure(const CellPair& pair, const TwoRuns& runs, double between_runs,
                        const ComparisonRule& rule) {
  AgainstBaseline against;
  against.rate = rate_of(*pair.b);
  against.ratio = against.rate / rate_of(*pair.a);
  against.disturbed = disturbed_in(pair, runs);
  if (const std::optional<Uncertain> within = uncertain_log_ratio(pair)) {
    const Uncertain log_of_ratio = widened(*within, between_runs);
    const Interval logs = interval_of(log_of_ratio, rule.confidence);
    against.ratio_interval = exp_of(logs);
    if (against.disturbed.empty()) against.verdict = verdict_on(logs, rule.tolerance);
    Uncertain beyond = log_of_ratio;
    beyond.value += log_slack(rule.tolerance);
    against.p_slower = p_of_below_zero(beyond);
  }
  against.loading_time_ratio = loading_time_ratio(*pair.a, *pair.b);
  return against;
}

class RunComparer {
 public:
  RunComparer(const TwoRuns& runs, const ComparedNames& cell_names, const ComparisonRule& rule)
      : a_(runs.a), b_(runs.b), runs_(runs), cell_names_(cell_names), rule_(rule) {
    result_.label = runs.label_b;
  }

  ComparedRun compare() {
    choose_settings();
    const MatchedCells matched = match_cells(a_, b_, names_);
    for (const CellPair& pair : matched.pairs) sort_out(pair);
    result_.unmatched_baseline = names_of(matched.unmatched_a);
    result_.unmatched = names_of(matched.unmatched_b);
    result_.ambiguous = names_of(matched.ambiguous);
    result_.environment = environment_differences(a_.environment, b_.environment);
    result_.simulation = simulation_notice(b_);
    result_.loader = whose_loader(b_);
    result_.cautions = cautions(runs_, pairs_);
    find_common_shift();
    average();
    return std::move(result_);
  }

  [[nodiscard]] const std::vector<CellPair>& pairs() const { return pairs_; }
  [[nodiscard]] const TwoRuns& runs() const { return runs_; }

 private:
  void choose_settings() {
    names_ = common_settings(a_, b_);
    result_.settings_only_in_baseline = only_in(a_, names_);
    result_.settings_only_here = only_in(b_, names_);
    for (const Difference& constant : differing_constants(a_, b_)) {
      if (is_ignored(constant.name)) continue;
      (is_instrument(constant.name) ? result_.ignored : result_.constants).push_back(constant);
    }
    for (const std::string& name : names_) {
      if (!is_ignored(name)) continue;
      result_.ignored.push_back({name, values_of(a_, name), values_of(b_, name)});
    }
    for (const Difference& ignored : result_.ignored) std::erase(names_, ignored.name);
  }

  [[nodiscard]] bool is_ignored(const std::string& name) const {
    return contains(rule_.ignored, name);
  }

  void sort_out(const CellPair& pair) {
    if (is_measured(*pair.a) && is_measured(*pair.b)) {
      pairs_.push_back(pair);
      return;
    }
    if (pair.a->outcome == pair.b->outcome && pair.a->outcome != Outcome::kOk) return;
    result_.not_compared.push_back(
        {name_of(*pair.a), outcome_text(*pair.a), outcome_text(*pair.b)});
    if (pair.a->outcome == Outcome::kOk && pair.b->outcome == Outcome::kFailed) {
      result_.broken.push_back(name_of(*pair.a));
    }
  }

  // A shift common to all cells comes from the machine or the program, not from a setting; one run
  // of each cannot tell which.
  void find_common_shift() {
    std::vector<double> shifts;
    for (const CellPair& pair : pairs_) {
      if (cell_names_.is_separate_limit(*pair.a) || is_disturbed(pair)) continue;
      shifts.push_back(log_ratio_of(pair));
    }
    if (shifts.empty()) return;
    const double shift = middle_shift(shifts);
    result_.between_runs = std::min(std::abs(shift), kMostBetweenRuns);
    const auto together = std::count_if(shifts.begin(), shifts.end(), [&](double one) {
      return shift < 0.0 ? one < shift / 2.0 : one > shift / 2.0;
    });
    const bool is_common = 4 * together >= 3 * std::ssize(shifts) && shifts.size() >= 4;
    if (!is_common || std::abs(shift) < kNotableShift) return;
    result_.cautions.push_back(
        fmt::format("All cells moved together, by {:+.1f} % in the median: the cause is the "
                    "machine or the program, not a setting. Run {} again to distinguish them; "
                    "drift of machines up to {:g} % is part of the intervals.",
                    100.0 * std::expm1(shift), runs_.label_a, 100.0 * kMostBetweenRuns));
  }

  void average() {
    std::vector<Uncertain> logs;
    double sum = 0.0, count = 0.0;
    for (const CellPair& pair : pairs_) {
      if (cell_names_.is_separate_limit(*pair.a)) continue;
      count += 1.0;
      sum += log_ratio_of(pair);
      const auto log_of_ratio = uncertain_log_ratio(pair);
      if (log_of_ratio && !is_disturbed(pair)) logs.push_back(*log_of_ratio);
    }
    if (count == 0.0) return;
    result_.mean_ratio = std::exp(sum / count);
    if (static_cast<double>(logs.size()) != count) return;
    result_.mean_ratio_interval =
        exp_of(interval_of(widened(mean_of(logs), result_.between_runs), rule_.confidence));
  }

  [[nodiscard]] std::string name_of(const CellResult& cell) const {
    return cell_names_.name_of(cell);
  }

  [[nodiscard]] std::vector<std::string> names_of(
      const std::vector<const CellResult*>& cells) const {
    std::vector<std::string> names;
    for (const CellResult* cell : cells) names.push_back(name_of(*cell));
    return names;
  }

  const RunResult& a_;
  const RunResult& b_;
  const TwoRuns& runs_;
  const ComparedNames& cell_names_;
  const ComparisonRule& rule_;
  std::vector<std::string> names_;  // Matched by.
  std::vector<CellPair> pairs_;
  ComparedRun result_;
};

std::string label_of(std::size_t run) {
  std::string label(1, static_cast<char>('A' + run % 26));
  return run < 26 ? label : label_of(run / 26 - 1) + label;
}

/// One row per cell of the baseline.
class Rows {
 public:
  Rows(const RunResult& baseline, std::size_t runs) : baseline_(baseline), runs_(runs) {
    rows_.resize(baseline.cells.size());
  }

  void add(std::size_t run, const RunComparer& comparer, double between_runs,
           const ComparisonRule& rule) {
    for (const CellPair& pair : comparer.pairs()) {
      ComparedCell& row = rows_[static_cast<std::size_t>(pair.a - baseline_.cells.data())];
      row.against.resize(runs_);
      row.against[run] = measure(pair, comparer.runs(), between_runs, rule);
    }
  }

  std::vector<ComparedCell> by_effect(const ComparedNames& names) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const CellResult& cell = baseline_.cells[i];
      rows_[i].name = names.name_of(cell);
      rows_[i].is_limit = names.is_separate_limit(cell);
      rows_[i].baseline_rate = rate_of(cell);
      for (const std::string& name : names.varying())
        rows_[i].settings.push_back(setting_text(cell, name));
    }
    std::erase_if(rows_, [](const ComparedCell& row) { return row.against.empty(); });
    std::stable_sort(
        rows_.begin(), rows_.end(), [](const ComparedCell& one, const ComparedCell& other) {
          return std::pair(other.is_limit, effect(one)) > std::pair(one.is_limit, effect(other));
        });
    return std::move(rows_);
  }

 private:
  static double effect(const ComparedCell& row) {
    double largest = 0.0;
    for (const auto& against : row.against) {
      if (against) largest = std::max(largest, std::abs(std::log(against->ratio)));
    }
    return largest;
  }

  const RunResult& baseline_;
  std::size_t runs_;
  std::vector<ComparedCell> rows_;
};

Comparison compare_cells(std::span<const NamedRun> runs, const ComparisonRule& rule) {
  const RunResult& baseline = *runs.front().result;
  Comparison comparison;
  comparison.rule = rule;
  comparison.baseline_label = label_of(0);
  comparison.baseline_name = runs.front().name;
  comparison.baseline_simulation = simulation_notice(baseline);
  comparison.baseline_loader = whose_loader(baseline);
  const ComparedNames names(runs, rule);
  comparison.varying = names.varying();
  Rows rows(baseline, runs.size() - 1);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const TwoRuns two{baseline, *runs[i].result, label_of(0), label_of(i)};
    RunComparer comparer(two, names, rule);
    comparison.runs.push_back(comparer.compare());
    comparison.runs.back().name = runs[i].name;
    rows.add(i - 1, comparer, comparison.runs.back().between_runs, rule);
  }
  comparison.cells = rows.by_effect(names);
  mark_regressions(comparison.cells, rule);
  return comparison;
}

}  // namespace

bool Comparison::has_regression() const {
  const auto is_regression = [](const std::optional<AgainstBaseline>& against) {
    return against && against->is_regression;
  };
  return std::any_of(runs.begin(), runs.end(),
                     [](const ComparedRun& run) { return !run.broken.empty(); }) ||
         std::any_of(cells.begin(), cells.end(), [&](const ComparedCell& cell) {
           return std::any_of(cell.against.begin(), cell.against.end(), is_regression);
         });
}

bool Comparison::has_common_cells(std::size_t run) const {
  return !runs[run].broken.empty() ||
         std::any_of(cells.begin(), cells.end(),
                     [&](const ComparedCell& cell) { return cell.against[run].has_value(); });
}

Comparison compare_runs(std::span<const NamedRun> runs, const ComparisonRule& rule) {
  if (!are_watched(runs)) return compare_cells(runs, rule);
  const WatchedComparison watched(runs, rule);
  return compare_cells(watched.runs(), watched.rule());
}

}  // namespace feedrate
