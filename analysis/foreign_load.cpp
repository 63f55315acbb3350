// SPDX-License-Identifier: Apache-2.0
#include "analysis/foreign_load.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analysis/limits.h"
#include "analysis/noise.h"
#include "core/format.h"

namespace feedrate {
namespace {

using Series = std::vector<double>;

// Two ticks of 10 ms, the error of the kernel's idle time.
constexpr double kTicks = 0.02;

double metric_or(const std::vector<Metric>& metrics, const char* tag, double other) {
  const double* const value = find_metric(metrics, tag);
  return value == nullptr ? other : *value;
}

const Series* find_series(const Repeat& start, const char* name) {
  const auto found = start.series.find(name);
  return found == start.series.end() ? nullptr : &found->second;
}

ForeignLoad load_by_series(const Repeat& start) {
  const Series* const times = find_series(start, "monitor_time");
  const Series* const window = find_series(start, "monitor_window");
  const Series* const total = find_series(start, "monitor_cpu_total");
  const Series* const main = find_series(start, "monitor_cpu_main");
  const Series* const workers = find_series(start, "monitor_cpu_workers");
  ForeignLoad load;
  if (!times || !window || window->size() != 2 || !total || !main || !workers) return load;
  load.cpus = static_cast<double>(
      std::count_if(start.series.begin(), start.series.end(),
                    [](const auto& one) { return one.first.starts_with("monitor_cpu_core_"); }));
  const std::size_t spans = std::min({times->size(), total->size(), main->size(), workers->size()});
  for (std::size_t i = 1; i < spans; ++i) {
    const double seconds = (*times)[i] - (*times)[i - 1];
    if ((*times)[i] < window->front() || (*times)[i] > window->back()) continue;
    load.seconds += seconds;
    load.busy += seconds * (*total)[i];
    load.taken += seconds * std::max(0.0, (*total)[i] - (*main)[i] - (*workers)[i]);
  }
  if (load.seconds <= 0.0) return {};
  load.busy /= load.seconds;
  load.taken /= load.seconds;
  return load;
}

struct Start {
  bool is_disturbed = false;
  double cpus = 0.0;
  double taken = 0.0;
  double stolen = 0.0;
};

Start start_of(const std::vector<Metric>& metrics) {
  const double stolen = metric_or(metrics, "steal", 0.0);
  return {metric_or(metrics, "disturbed", 0.0) > 0.0, metric_or(metrics, "cpus", 0.0),
          metric_or(metrics, "foreign_cpu", 0.0) + stolen, stolen};
}

Start start_of(const Repeat& repeat) {
  if (find_metric(repeat.metrics, "disturbed")) return start_of(repeat.metrics);
  const ForeignLoad load = load_by_series(repeat);
  return {is_disturbing(load), load.cpus, load.taken, load.stolen};
}

// A CSV has only means of starts.
std::vector<Start> loads_of_starts(const CellResult& cell) {
  std::vector<Start> starts;
  for (const Repeat& repeat : cell.repeats) starts.push_back(start_of(repeat));
  if (!starts.empty()) return starts;
  constexpr double kMost = 1000.0;  // Bounds untrusted input.
  const double count = std::min(metric_or(cell.metrics, "repeats", 1.0), kMost);
  const double disturbed = std::round(metric_or(cell.metrics, "disturbed", 0.0) * count);
  for (double i = 0.0; i < count; i += 1.0) {
    starts.push_back(start_of(cell.metrics));
    starts.back().is_disturbed = i < disturbed;
  }
  return starts;
}

std::string taken_text(double cpus, double taken, double stolen) {
  return fmt::format("{} used {:.2f} of {:g} CPU{}",
                     2.0 * stolen > taken ? "other guests of the host" : "other programs", taken,
                     cpus, cpus == 1.0 ? "" : "s");
}

std::string text_of(const std::vector<Start>& starts) {
  double disturbed = 0.0, cpus = 0.0, taken = 0.0, stolen = 0.0;
  for (const Start& start : starts) {
    if (!start.is_disturbed) continue;
    disturbed += 1.0;
    cpus = std::max(cpus, start.cpus);
    taken += start.taken;
    stolen += start.stolen;
  }
  if (disturbed == 0.0) return {};
  return fmt::format("{} in {:g} of {} repeat{}",
                     taken_text(cpus, taken / disturbed, stolen / disturbed), disturbed,
                     starts.size(), starts.size() == 1 ? "" : "s");
}

std::string storage_text(const CellResult& cell) {
  const double* const moved = find_metric(cell.metrics, "foreign_io");
  if (moved == nullptr || cell.bottleneck != to_string(Bottleneck::kForeign)) return {};
  return fmt::format("other programs moved {}/s on the dataset's device, more than the cell read",
                     format_value(*moved, Unit::kBytes));
}

std::string storage_text(const RunResult& run) {
  const auto is_one = [](const CellResult& cell) {
    return text_of(loads_of_starts(cell)).empty() && !storage_text(cell).empty();
  };
  const auto cells = std::count_if(run.cells.begin(), run.cells.end(), is_one);
  if (cells == 0) return {};
  return fmt::format(
      "other programs moved more data on the dataset's device than the cell itself in {} of {} "
      "cells",
      cells, run.cells.size());
}

double seconds_of_window(const CellResult& cell) {
  const double steps = metric_or(cell.metrics, "steps", 0.0);
  const double starts = std::max(1.0, metric_or(cell.metrics, "repeats", 1.0));
  const double samples = steps / starts * global_batch_size(cell);
  const double rate = rate_of(cell);
  return samples > 0.0 && rate > 0.0 ? samples / rate : 0.0;
}

std::string unwatched_sentence(const RunResult& run) {
  std::size_t cells = 0;
  double shortest = kShortestWindow, steps = 0.0;
  for (const CellResult& cell : run.cells) {
    if (!is_unwatched(cell)) continue;
    ++cells;
    const double seconds = seconds_of_window(cell);
    const double starts = std::max(1.0, metric_or(cell.metrics, "repeats", 1.0));
    if (seconds >= shortest) continue;
    shortest = seconds;
    steps = metric_or(cell.metrics, "steps", 0.0) / starts;
  }
  if (cells == 0) return {};
  return fmt::format(
      "{} cell{} measured for less than {:g} s per repeat, in which other programs are not seen: "
      "set measure.steps to {:.0f} or more.",
      cells, cells == 1 ? " was" : "s were", kShortestWindow,
      std::ceil(steps * kShortestWindow / shortest));
}

}  // namespace

bool is_disturbing(const ForeignLoad& load) {
  const double limit = kForeignShare * load.cpus * load.seconds + kTicks;
  return load.cpus > 0.0 && load.taken * load.seconds > limit && 2.0 * load.busy > load.cpus;
}

bool is_disturbed(const Repeat& start) { return start_of(start).is_disturbed; }

double taken_by_others(const Repeat& start) { return start_of(start).taken; }

std::string foreign_load_text(const std::vector<Metric>& metrics) {
  const Start start = start_of(metrics);
  return start.is_disturbed ? taken_text(start.cpus, start.taken, start.stolen) : std::string();
}

bool is_disturbed(const CellResult& cell) { return !foreign_load_text(cell).empty(); }

bool is_unwatched(const CellResult& cell) {
  if (cell.outcome != Outcome::kOk || find_metric(cell.metrics, "disturbed")) return false;
  const double seconds = seconds_of_window(cell);
  return seconds > 0.0 && seconds < kShortestWindow;
}

std::string foreign_load_text(const CellResult& cell) {
  std::string text = text_of(loads_of_starts(cell));
  return text.empty() ? storage_text(cell) : text;
}

std::string foreign_load_caution(const CellResult& cell) {
  const std::string text = foreign_load_text(cell);
  return text.empty() ? text
                      : fmt::format("During its measurement {}; its rate is affected.", text);
}

std::string foreign_load_sentence(const RunResult& run) {
  std::vector<Start> starts;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kOk) continue;
    const std::vector<Start> more = loads_of_starts(cell);
    starts.insert(starts.end(), more.begin(), more.end());
  }
  std::string text = text_of(starts);
  if (const std::string storage = storage_text(run); !storage.empty()) {
    text += (text.empty() ? "" : ", and ") + storage;
  }
  if (text.empty()) return text;
  text.front() = 'O';
  return text + ": the affected rates are too low.";
}

std::vector<std::string> warnings_of(const RunResult& run) {
  std::vector<std::string> warnings = run.environment.warnings;
  if (std::string sentence = foreign_load_sentence(run); !sentence.empty()) {
    warnings.insert(warnings.begin(), std::move(sentence));
  }
  if (std::string sentence = unwatched_sentence(run); !sentence.empty()) {
    warnings.push_back(std::move(sentence));
  }
  return warnings;
}

}  // namespace feedrate
