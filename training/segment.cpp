// SPDX-License-Identifier: Apache-2.0
#include "training/segment.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kLeastNoise = 0.01;

// Steps come in bursts if each takes four times the mean, and all of them much of the time.
constexpr double kBurst = 4.0;
constexpr double kBurstShare = 0.3;
constexpr std::size_t kLongestBurst = 64;  // Steps from one to the next.

std::vector<double> seconds_of_turns(const Measurement& measurement, std::size_t turn) {
  std::vector<double> seconds;
  for (std::size_t end = turn; end <= measurement.kept.size(); end += turn) {
    seconds.push_back(
        to_seconds(measurement.kept[end - 1].trained - measurement.kept[end - turn].asked));
  }
  return seconds;
}

double seconds_of(const Measurement& measurement) {
  return to_seconds(measurement.kept.back().trained - measurement.kept.front().asked);
}

}  // namespace

double batch_size_share(const ScriptLoader& loader, const ScriptLoader& present) {
  const auto size = static_cast<double>(loader.batch_size.value_or(0));
  const auto usual = static_cast<double>(present.batch_size.value_or(0));
  return size > 0.0 && usual > 0.0 ? size / usual : 1.0;
}

std::size_t round_up(std::size_t steps, std::size_t unit) {
  return (steps + unit - 1) / unit * unit;
}

std::vector<Measurement> halves_of(const Measurement& measurement, std::size_t turn) {
  const std::size_t turns = measurement.kept.size() / turn;
  if (turns < 2) return {measurement};
  const auto begin = measurement.kept.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(turns / 2 * turn);
  std::vector<Measurement> halves(2);
  halves[0].kept.assign(begin, middle);
  halves[1].kept.assign(middle, begin + static_cast<std::ptrdiff_t>(turns * turn));
  return halves;
}

std::size_t burst_of(const std::vector<LoggedStep>& steps) {
  if (steps.empty()) return 1;
  Nanos all{}, bursts{};
  for (const LoggedStep& step : steps) all += step.loading + step.training;
  const double least = kBurst * to_seconds(all) / static_cast<double>(steps.size());
  std::size_t count = 0;
  for (const LoggedStep& step : steps) {
    if (to_seconds(step.loading + step.training) <= least) continue;
    ++count;
    bursts += step.loading + step.training;
  }
  if (count == 0 || to_seconds(bursts) < kBurstShare * to_seconds(all)) return 1;
  return std::min(kLongestBurst, (steps.size() + count - 1) / count);
}

Measurement measurement_of(std::span<const LoggedStep> steps, double share) {
  Measurement measurement;
  Nanos now{};
  const auto pass = [&](Nanos time) { return now += from_seconds(to_seconds(time) / share); };
  for (const LoggedStep& step : steps) {
    StepMarks& marks = measurement.kept.emplace_back();
    marks.asked = now;
    marks.loaded = marks.copied = marks.queued = marks.launching = pass(step.loading);
    marks.trained = marks.launched = pass(step.training);
    marks.samples =
        static_cast<std::size_t>(std::lround(static_cast<double>(step.samples) / share));
  }
  return measurement;
}

double step_of(const Measurement& measurement) {
  return seconds_of(measurement) / static_cast<double>(measurement.kept.size());
}

double step_error(const Measurement& measurement, std::size_t turn) {
  const std::vector<double> seconds = seconds_of_turns(measurement, turn);
  return sample_stddev(seconds) / static_cast<double>(turn) /
         std::sqrt(static_cast<double>(seconds.size()));
}

double noise_of(const Measurement& measurement, std::size_t turn) {
  const std::vector<double> seconds = seconds_of_turns(measurement, turn);
  if (seconds.size() < 3) return kLeastNoise;
  const double turns = std::max(1.0, static_cast<double>(kLeastKept) / static_cast<double>(turn));
  return std::max(kLeastNoise, sample_stddev(seconds) / mean(seconds) / std::sqrt(turns));
}

}  // namespace feedrate
