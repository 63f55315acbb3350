// SPDX-License-Identifier: Apache-2.0
#include "analysis/noise.h"

#include <cmath>
#include <limits>
#include <vector>

namespace feedrate {
namespace {

constexpr double kNoiseConfidence = 0.95;

std::vector<double> rates_of_starts(const CellResult& cell) {
  std::vector<double> rates;
  for (const Repeat& start : cell.repeats) {
    const double* const rate = find_metric(start.metrics, "samples_per_second");
    if (rate != nullptr && std::isfinite(*rate)) rates.push_back(*rate);
  }
  return rates;
}

// Uses the high end, since the low one is clamped to 0.
std::optional<Uncertain> uncertain_by_interval(const CellResult& cell) {
  const std::optional<Interval> interval = rate_interval(cell);
  if (!interval || interval->high < rate_of(cell)) return std::nullopt;
  const double* const starts = find_metric(cell.metrics, "repeats");
  const double freedom =
      starts != nullptr && *starts >= 2.0 ? *starts - 1.0 : std::numeric_limits<double>::infinity();
  const double half = interval->high - rate_of(cell);
  return Uncertain{rate_of(cell), half / student_t(kNoiseConfidence, freedom), freedom};
}

}  // namespace

double rate_of(const CellResult& cell) {
  const double* const rate = find_metric(cell.metrics, "samples_per_second");
  return rate == nullptr ? std::numeric_limits<double>::quiet_NaN() : *rate;
}

bool is_measured(const CellResult& cell) {
  return cell.outcome == Outcome::kOk && std::isfinite(rate_of(cell)) && rate_of(cell) > 0.0;
}

double global_batch_size(const Settings& settings) {
  const auto ranks = std::max<std::int64_t>(1, count_of(settings, "ranks"));
  return static_cast<double>(ranks * count_of(settings, "batch_size"));
}

double global_batch_size(const CellResult& cell) {
  const double asked = global_batch_size(cell.settings);
  const double* const step = find_metric(cell.metrics, "step_time");
  return asked > 0.0 || step == nullptr ? asked : rate_of(cell) * *step;
}

std::optional<Interval> rate_interval(const CellResult& cell) {
  const double* const low = find_metric(cell.metrics, "samples_per_second_low");
  const double* const high = find_metric(cell.metrics, "samples_per_second_high");
  if (low == nullptr || high == nullptr) return std::nullopt;
  if (!std::isfinite(*low) || !std::isfinite(*high)) return std::nullopt;
  return Interval{*low, *high};
}

std::optional<Uncertain> uncertain_rate(const CellResult& cell) {
  if (!is_measured(cell)) return std::nullopt;
  const std::vector<double> starts = rates_of_starts(cell);
  if (starts.size() < 2) return uncertain_by_interval(cell);
  Uncertain figure = uncertain_mean(starts);
  figure.value = rate_of(cell);
  return figure;
}

}  // namespace feedrate
