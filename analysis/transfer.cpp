// SPDX-License-Identifier: Apache-2.0
#include "analysis/transfer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/best.h"
#include "analysis/cell_text.h"
#include "analysis/decision.h"
#include "analysis/noise.h"
#include "analysis/recommended_cell.h"
#include "core/error.h"
#include "core/rank_statistics.h"

namespace feedrate {
namespace {

bool is_transferable(const CellResult& cell) {
  return cell.outcome == Outcome::kOk && std::isfinite(rate_of(cell)) && rate_of(cell) > 0.0;
}

double step_time_of(const CellResult& cell) {
  const double* const time = find_metric(cell.metrics, "step_time");
  return time == nullptr ? std::numeric_limits<double>::quiet_NaN() : *time;
}

TransferSide side_of(const CellResult& cell) {
  TransferSide side{.rate = rate_of(cell),
                    .step_time = step_time_of(cell),
                    .starts = starts_of(cell),
                    .start_rates = {},
                    .start_step_times = {}};
  for (const Repeat& repeat : cell.repeats) {
    const double* const rate = find_metric(repeat.metrics, "samples_per_second");
    const double* const step_time = find_metric(repeat.metrics, "step_time");
    if (rate == nullptr || step_time == nullptr) continue;
    side.start_rates.push_back(*rate);
    side.start_step_times.push_back(*step_time);
  }
  return side;
}

std::vector<double> descending_ranks(const std::vector<TransferPoint>& points,
                                     TransferSide TransferPoint::*side) {
  std::vector<double> negated;
  for (const TransferPoint& point : points) negated.push_back(-(point.*side).rate);
  return fractional_ranks(negated);
}

std::vector<std::string> values_in(const RunResult& run, const std::string& knob) {
  std::vector<std::string> values;
  for (const CellResult& cell : run.cells) {
    const std::string value = setting_text(cell, knob);
    if (!value.empty() && !contains(values, value)) values.push_back(value);
  }
  return values;
}

class Matcher {
 public:
  Matcher(const RunResult& a, const RunResult& b, const TransferOptions& options)
      : a_(a), b_(b), options_(options) {}

  Transfer transfer() {
    result_.label_a = options_.label_a;
    result_.label_b = options_.label_b;
    result_.simulation_a = simulation_notice(a_);
    result_.simulation_b = simulation_notice(b_);
    choose_settings();
    match();
    leave_limits_out();
    if (!pairs_.empty()) measure();
    return std::move(result_);
  }

 private:
  void choose_settings() {
    const std::vector<Difference> constants = differing_constants(a_, b_);
    for (const std::string& name : common_settings(a_, b_)) {
      const auto constant =
          std::find_if(constants.begin(), constants.end(),
                       [&](const Difference& candidate) { return candidate.name == name; });
      if (constant != constants.end()) {
        result_.ignored.push_back(*constant);
      } else if (name == "engine" || contains(options_.ignored, name)) {
        result_.ignored.push_back({name, fmt::format("{}", fmt::join(values_in(a_, name), ", ")),
                                   fmt::format("{}", fmt::join(values_in(b_, name), ", "))});
      } else {
        names_.push_back(name);
      }
    }
    const std::vector<std::string> varying_a = varying_settings(a_);
    const std::vector<std::string> varying_b = varying_settings(b_);
    for (const std::string& name : names_) {
      if (contains(varying_a, name) || contains(varying_b, name)) result_.varying.push_back(name);
    }
  }

  void match() {
    const MatchedCells matched = match_cells(a_, b_, names_);
    add_names(matched.unmatched_a, result_.unmatched_a);
    add_names(matched.unmatched_b, result_.unmatched_b);
    add_names(matched.ambiguous, result_.ambiguous);
    for (const CellPair& pair : matched.pairs) {
      if (is_transferable(*pair.a) && is_transferable(*pair.b)) {
        pairs_.push_back(pair);
      } else if (pair.a->outcome == Outcome::kSkipped && pair.b->outcome == Outcome::kSkipped) {
        ++result_.skipped_in_both;
      } else {
        result_.not_measured.push_back(
            {name(*pair.a), outcome_text(*pair.a), outcome_text(*pair.b)});
      }
    }
  }

  void leave_limits_out() {
    const auto is_limit_pair = [](const CellPair& pair) { return is_limit(*pair.a); };
    if (std::all_of(pairs_.begin(), pairs_.end(), is_limit_pair)) return;
    for (const CellPair& pair : pairs_) {
      if (is_limit_pair(pair)) result_.limits.push_back(name(*pair.a));
    }
    std::erase_if(pairs_, is_limit_pair);
  }

  void measure() {
    std::vector<TransferPoint> points;
    std::vector<const CellResult*> of_a, of_b;
    for (const CellPair& pair : pairs_) {
      points.push_back({side_of(*pair.a), side_of(*pair.b)});
      of_a.push_back(pair.a);
      of_b.push_back(pair.b);
    }
    const auto index = std::find(of_a.begin(), of_a.end(), proposed_among(of_a)) - of_a.begin();
    result_.figures = transfer_figures(points, static_cast<std::size_t>(index), pooled_noise(of_b),
                                       options_.bootstrap);
    for (const IndexPair& pair : result_.figures.disagreements) {
      result_.disagreements.push_back(disagreement(pair, points));
    }
    add_cells(points);
  }

  [[nodiscard]] const CellResult* proposed_among(
      const std::vector<const CellResult*>& cells) const {
    const CellResult* const recommended = recommended_cell(a_);
    if (std::find(cells.begin(), cells.end(), recommended) != cells.end()) return recommended;
    return decide_among(cells, a_.tolerance).proposed;
  }

  [[nodiscard]] std::string disagreement(const IndexPair& pair,
                                         const std::vector<TransferPoint>& points) const {
    const TransferPoint& faster = points[pair.first];
    const TransferPoint& slower = points[pair.second];
    return fmt::format("{} is {:.1f} % slower than {} in B and {:.1f} % faster in A",
                       name(*pairs_[pair.second].a), 100.0 * (1.0 - slower.b.rate / faster.b.rate),
                       name(*pairs_[pair.first].a), 100.0 * (slower.a.rate / faster.a.rate - 1.0));
  }

  void add_cells(const std::vector<TransferPoint>& points) {
    const std::vector<double> ranks_a = descending_ranks(points, &TransferPoint::a);
    const std::vector<double> ranks_b = descending_ranks(points, &TransferPoint::b);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [a, b] = points[i];
      result_.cells.push_back({.settings = texts(*pairs_[i].a),
                               .step_time_a = a.step_time,
                               .step_time_b = b.step_time,
                               .error = a.step_time / b.step_time - 1.0,
                               .rate_a = a.rate,
                               .rate_b = b.rate,
                               .rank_a = ranks_a[i],
                               .rank_b = ranks_b[i],
                               .is_best_in_a = i == result_.figures.best_in_a,
                               .is_proposed_by_a = i == result_.figures.proposed_by_a,
                               .is_best_in_b = i == result_.figures.best_in_b});
    }
  }

  [[nodiscard]] std::vector<std::string> texts(const CellResult& cell) const {
    std::vector<std::string> texts;
    for (const std::string& name : result_.varying) texts.push_back(setting_text(cell, name));
    return texts;
  }

  [[nodiscard]] std::string name(const CellResult& cell) const {
    return name_cell(cell, result_.varying);
  }

  void add_names(const std::vector<const CellResult*>& cells, std::vector<std::string>& names) {
    for (const CellResult* cell : cells) {
      names.push_back(fmt::format("{}: {}", name(*cell), outcome_text(*cell)));
    }
  }

  const RunResult& a_;
  const RunResult& b_;
  const TransferOptions& options_;
  std::vector<std::string> names_;  // Matched by.
  std::vector<CellPair> pairs_;     // Measured in both.
  Transfer result_;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

std::vector<std::string> two_values(const RunResult& run, const std::string& by) {
  const std::size_t equals = by.find('=');
  const std::string knob = by.substr(0, equals);
  const std::vector<std::string> there = values_in(run, knob);
  if (there.empty()) throw ConfigError(fmt::format("--by {}: no cell has this setting", knob));
  const std::vector<std::string> wanted =
      equals == std::string::npos ? there : split(by.substr(equals + 1), ',');
  if (wanted.size() != 2 || wanted[0] == wanted[1]) {
    throw ConfigError(
        fmt::format("--by {}: {} value{}, must be two; the result has {}: name two of them, such "
                    "as --by engine=native,torch",
                    by, wanted.size(), wanted.size() == 1 ? "" : "s", fmt::join(there, ", ")));
  }
  for (const std::string& value : wanted) {
    if (contains(there, value)) continue;
    throw ConfigError(fmt::format("--by {}: no cell has {}={}; the result has {}", by, knob, value,
                                  fmt::join(there, ", ")));
  }
  return wanted;
}

// Splits "a=x,b=y"; a comma that no setting name follows belongs to the value.
std::vector<std::string> split_selections(const std::vector<std::string>& values,
                                          const std::vector<std::string>& settings) {
  std::vector<std::string> single;
  for (const std::string& text : values) {
    const std::size_t before = single.size();
    for (const std::string& part : split(text, ',')) {
      const std::size_t equals = part.find('=');
      const bool begins = equals != std::string::npos && contains(settings, part.substr(0, equals));
      if (begins || single.size() == before) {
        single.push_back(part);
      } else {
        single.back() += ',' + part;
      }
    }
  }
  return single;
}

}  // namespace

Transfer transfer_between(const RunResult& a, const RunResult& b, const TransferOptions& options) {
  return Matcher(a, b, options).transfer();
}

DividedRun divide_run(const RunResult& run, const std::string& by) {
  const std::vector<std::string> values = two_values(run, by);
  const std::string knob = by.substr(0, by.find('='));
  DividedRun divided{
      .a = run, .b = run, .value_a = values[0], .value_b = values[1], .undivided = {}};
  std::erase_if(divided.a.cells, [&](const CellResult& cell) {
    return setting_text(cell, knob) != divided.value_a;
  });
  std::erase_if(divided.b.cells, [&](const CellResult& cell) {
    return setting_text(cell, knob) != divided.value_b;
  });
  for (const std::string& value : values_in(run, knob)) {
    if (contains(values, value)) continue;
    const auto cells =
        std::count_if(run.cells.begin(), run.cells.end(),
                      [&](const CellResult& cell) { return setting_text(cell, knob) == value; });
    divided.undivided.push_back(
        fmt::format("{}={}: {} cell{}", knob, value, cells, cells == 1 ? "" : "s"));
  }
  const std::vector<std::string> varying = varying_settings(run);
  for (const CellResult& cell : run.cells) {
    if (setting_text(cell, knob).empty()) {
      divided.undivided.push_back(
          fmt::format("{}: {}", name_cell(cell, varying), outcome_text(cell)));
    }
  }
  return divided;
}

RunResult cells_with(RunResult run, const std::vector<std::string>& values) {
  const std::vector<std::string> settings =
      run.cells.empty() ? std::vector<std::string>() : setting_names(run);
  for (const std::string& text : split_selections(values, settings)) {
    const std::size_t equals = text.find('=');
    const std::string knob = text.substr(0, equals);
    if (equals == std::string::npos || !contains(settings, knob)) {
      throw ConfigError(fmt::format(
          "compare --only {}: must be a setting of the result and a value, such as num_workers=2",
          text));
    }
    std::erase_if(run.cells, [&](const CellResult& cell) {
      return setting_text(cell, knob) != text.substr(equals + 1);
    });
  }
  if (run.cells.empty()) {
    throw ConfigError(
        fmt::format("compare --only {}: no cell of A matches", fmt::join(values, " --only ")));
  }
  return run;
}

}  // namespace feedrate
