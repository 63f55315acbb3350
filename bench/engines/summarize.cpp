// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "analysis/profile/intervals.h"
#include "bench/engines/protocol.h"
#include "core/error.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr double kEmaWeight = 0.1;  // Common in hand-instrumented training loops.

using Series = std::vector<double>;

template <typename Duration>
Series series_of(const std::vector<StepMarks>& steps, Duration duration) {
  Series values;
  values.reserve(steps.size());
  for (const StepMarks& step : steps) values.push_back(to_seconds(duration(step)));
  return values;
}

class Summary {
 public:
  explicit Summary(const Measurement& measurement) : measurement_(measurement) {}

  Repeat finish() {
    add_steps();
    add_epochs();
    add_throughput();
    add_stages();
    add_tokens();
    if (!measurement_.spans.empty()) add_device();
    if (measurement_.data_readiness) add("data_readiness", *measurement_.data_readiness);
    return std::move(repeat_);
  }

 private:
  void add(std::string tag, double value) {
    if (std::isfinite(value)) repeat_.metrics.push_back({std::move(tag), value});
  }

  void add_distribution(const std::string& tag, const Series& values) {
    add(tag, mean(values));
    add(tag + "_p50", percentile(values, 0.50));
    add(tag + "_p90", percentile(values, 0.90));
    add(tag + "_p99", percentile(values, 0.99));
    add(tag + "_max", percentile(values, 1.0));
  }

  void add_steps() {
    const std::vector<StepMarks>& kept = measurement_.kept;
    const Series loading = series_of(kept, [](const auto& s) { return s.copied - s.asked; });
    const Series training = series_of(kept, [](const auto& s) { return s.trained - s.copied; });
    const Series step = series_of(kept, [](const auto& s) { return s.trained - s.asked; });
    add_distribution("loading_time", loading);
    add("loading_time_ema", exponential_moving_average(loading, kEmaWeight));
    add_distribution("training_time", training);
    add("training_time_ema", exponential_moving_average(training, kEmaWeight));
    add_distribution("step_time", step);
    add("wait_time", mean(series_of(kept, [](const auto& s) { return s.loaded - s.asked; })));
    add("copy_time", mean(series_of(kept, [](const auto& s) { return s.copied - s.loaded; })));
    repeat_.series["loading_time"] = loading;
    repeat_.series["training_time"] = training;
    repeat_.series["step_time"] = step;
  }

  void add_epochs() {
    Series first_batch, end;
    for (const EpochMarks& epoch : measurement_.epochs) {
      if (!epoch.is_delayed) first_batch.push_back(to_seconds(epoch.first_batch));
      if (epoch.end) end.push_back(to_seconds(*epoch.end));
    }
    if (first_batch.empty()) return;
    add("first_batch_time_cold", first_batch.front());
    add("first_batch_time", median(std::span(first_batch).subspan(1)));
    add("epoch_end_time", median(end));
    repeat_.series["first_batch_time"] = first_batch;
  }

  double window_seconds() const { return to_seconds(window().end - window().begin); }

  double kept_samples() const {
    const auto& kept = measurement_.kept;
    return static_cast<double>(
        std::accumulate(kept.begin(), kept.end(), std::size_t{0},
                        [](std::size_t sum, const StepMarks& step) { return sum + step.samples; }));
  }

  void add_throughput() {
    add("samples_per_second", kept_samples() / window_seconds());
    add("steps", static_cast<double>(measurement_.kept.size()));
  }

  void add_stages() {
    const double samples = kept_samples();
    const auto per_sample = [&](const char* tag, Nanos total) {
      if (total > Nanos(0)) add(tag, to_seconds(total) / samples);
    };
    per_sample("read_time", measurement_.stages.read);
    per_sample("decode_time", measurement_.stages.decode);
    per_sample("transform_time", measurement_.stages.transform);
    add("cpu_time", measurement_.cpu_seconds / samples);
  }

  void add_tokens() {
    const auto real = static_cast<double>(measurement_.tokens.real);
    const auto padded = static_cast<double>(measurement_.tokens.padded);
    if (padded == 0) return;
    add("padding_share", 1.0 - real / padded);
    add("tokens_per_second", real / window_seconds());
  }

  void add_device() {
    const std::vector<DeviceSpans>& all = measurement_.spans;
    const std::size_t kept = std::min(measurement_.kept.size(), all.size());
    const std::span<const DeviceSpans> kept_spans = std::span(all).last(kept);
    std::vector<TimeInterval> compute, copies;
    for (const DeviceSpans& span : all) compute.push_back({span.compute_begin, span.compute_end});
    Nanos compute_sum{}, copy_sum{};
    double flops = 0;
    for (const DeviceSpans& span : kept_spans) {
      copies.push_back({span.copy_begin, span.copy_end});
      compute_sum += span.compute_end - span.compute_begin;
      copy_sum += span.copy_end - span.copy_begin;
      flops += span.flops;
    }
    const auto steps = static_cast<double>(kept);
    const double au = to_seconds(sum_in_window(compute)) / window_seconds();
    check(au);
    add("au", au);
    add("gpu_busy", to_seconds(total_length(intersection(compute, {window()}))) / window_seconds());
    add("copy_overlap",
        to_seconds(total_length(intersection(compute, copies))) / to_seconds(total_length(copies)));
    add("compute_time_device", to_seconds(compute_sum) / steps);
    add("copy_time_device", to_seconds(copy_sum) / steps);
    // Divides by the time of the kernels: waiting for data does not lower the rate of computing.
    if (flops > 0) add("flops_per_second", flops / to_seconds(compute_sum));
  }

  // Uses the device's timeline if there is one: if the host does not wait for the device at each
  // step, the work in flight at both ends of the host's window differs. The window begins at the
  // end of the step launched before the kept ones, and ends at that of the last one they launched.
  TimeInterval window() const {
    const std::size_t kept = measurement_.kept.size();
    const std::vector<DeviceSpans>& all = measurement_.spans;
    if (all.size() <= kept + measurement_.owed) {
      return {measurement_.kept.front().asked, measurement_.kept.back().trained};
    }
    const std::size_t last = all.size() - 1 - measurement_.owed;
    return {all[last - kept].compute_end, all[last].compute_end};
  }

  // The kernels of one stream never overlap, so au is at most 1.
  static void check(double au) {
    constexpr double kRounding = 0.02;
    if (au <= 1.0 + kRounding) return;
    throw Error(
        fmt::format("the device timeline is implausible: kernels fill {:.1f} % of the window; "
                    "measure the cell again",
                    100.0 * au));
  }

  // Counts overlaps twice, unlike the length of the union.
  Nanos sum_in_window(const std::vector<TimeInterval>& intervals) const {
    Nanos sum{};
    for (const TimeInterval& interval : intervals) {
      const Nanos begin = std::max(interval.begin, window().begin);
      const Nanos end = std::min(interval.end, window().end);
      if (begin < end) sum += end - begin;
    }
    return sum;
  }

  const Measurement& measurement_;
  Repeat repeat_;
};

}  // namespace

Repeat summarize(const Measurement& measurement) { return Summary(measurement).finish(); }

}  // namespace feedrate
