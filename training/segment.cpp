// SPDX-License-Identifier: Apache-2.0
#include "training/segment.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kLeastNoise = 0.01;  // From segment to segment.

// Steps that each take four times the mean, and together much of the time, come in bursts.
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

std::size_t burst_of(const std::vector<StepMarks>& steps) {
  if (steps.empty()) return 1;
  const double all = to_seconds(steps.back().trained - steps.front().asked);
  const double least = kBurst * all / static_cast<double>(steps.size());
  std::size_t count = 0;
  double seconds = 0.0;
  for (const StepMarks& step : steps) {
    const double its = to_seconds(step.trained - step.asked);
    if (its <= least) continue;
    ++count;
    seconds += its;
  }
  if (count == 0 || seconds < kBurstShare * all) return 1;
  return std::min(kLongestBurst, (steps.size() + count - 1) / count);
}

Measurement measurement_of(std::span<const StepMarks> steps, double share) {
  Measurement measurement;
  measurement.kept.assign(steps.begin(), steps.end());
  if (share == 1.0) return measurement;
  for (StepMarks& step : measurement.kept) {
    for (Nanos StepMarks::*const time :
         {&StepMarks::asked, &StepMarks::loaded, &StepMarks::copied, &StepMarks::queued,
          &StepMarks::launching, &StepMarks::trained, &StepMarks::launched}) {
      step.*time = from_seconds(to_seconds(step.*time) / share);
    }
    step.samples = static_cast<std::size_t>(std::lround(static_cast<double>(step.samples) / share));
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
