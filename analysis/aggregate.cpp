// SPDX-License-Identifier: Apache-2.0
#include "analysis/aggregate.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/columns.h"
#include "core/contains.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr std::array<std::string_view, 4> kPeaks{"memory", "pinned_memory", "memory_used",
                                                 "gpu_memory_used"};
constexpr std::array<std::string_view, 6> kSums{
    "steps",        "storage_read_bytes", "called_read_bytes",
    "files_opened", "server_requests",    "server_requests_repeated"};

// Ties: the lowest value.
double most_frequent(const std::vector<double>& values) {
  const auto count = [&](double value) { return std::count(values.begin(), values.end(), value); };
  return *std::max_element(values.begin(), values.end(), [&](double a, double b) {
    return count(a) != count(b) ? count(a) < count(b) : a > b;
  });
}

}  // namespace

double across_starts(std::string_view tag, const std::vector<double>& values) {
  if (tag == "slowest_rank") return most_frequent(values);
  if (contains(kPeaks, tag) || tag.ends_with("_max"))
    return *std::max_element(values.begin(), values.end());
  if (contains(kSums, tag)) return std::accumulate(values.begin(), values.end(), 0.0);
  return mean(values);
}

std::vector<Metric> combine(const std::vector<Repeat>& repeats) {
  std::vector<Metric> metrics;
  for (const Column& column : metric_columns()) {
    const std::string tag(column.tag);
    std::vector<double> values;
    for (const Repeat& repeat : repeats) {
      if (const double* value = find_metric(repeat.metrics, tag)) values.push_back(*value);
    }
    if (values.empty()) continue;
    metrics.push_back({tag, across_starts(tag, values)});
    if (tag == "samples_per_second" && values.size() >= 2) {
      const Interval interval = confidence_interval(values, 0.95);
      metrics.push_back({"samples_per_second_low", std::max(0.0, interval.low)});
      metrics.push_back({"samples_per_second_high", interval.high});
    }
  }
  metrics.push_back({"repeats", static_cast<double>(repeats.size())});
  return metrics;
}

void add_job_time(Repeat& repeat) {
  const auto figure = [&](const char* tag) { return find_metric(repeat.metrics, tag); };
  const double* const begin = figure("first_batch_time_cold");
  const double* const batches = figure("batches_per_epoch");
  const double* const step = figure("step_time");
  const double* const end = figure("epoch_end_time");
  if (!begin || !batches || !step || !end) return;
  const double seconds = *begin + *batches * *step + *end;
  repeat.metrics.push_back({"job_time", seconds});
}

void add_au_verdict(std::vector<Metric>& metrics, double threshold) {
  const double* const au = find_metric(metrics, "au");
  if (!au) return;
  const double verdict = *au >= threshold ? 1.0 : 0.0;
  metrics.push_back({"au_verdict", verdict});
}

}  // namespace feedrate
