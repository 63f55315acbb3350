// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/measure.h"

#include <cmath>
#include <regex>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

// The error's field name differs between versions of Google Benchmark.
template <typename Run>
auto error_of(const Run& run, int) -> decltype(void(run.error_occurred), std::string()) {
  return run.error_occurred ? run.error_message : std::string();
}
template <typename Run>
auto error_of(const Run& run, long) -> decltype(void(run.skip_message), std::string()) {
  return run.skip_message;
}

class Collector final : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(Limit& row) : row_(row) {}

  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) take(run);
    }
  }

 private:
  void take(const Run& run) {
    row_.warning = error_of(run, 0);
    if (!row_.warning.empty()) return;
    row_.value = value_of(run);
    row_.warning = run.report_label;
    const auto size = run.counters.find(kSizeCounter);
    if (size != run.counters.end()) {
      row_.size = static_cast<std::uint64_t>(std::llround(size->second.value));
    }
  }

  [[nodiscard]] double value_of(const Run& run) const {
    if (row_.unit == "s") return run.real_accumulated_time / static_cast<double>(run.iterations);
    const char* name = row_.unit == "B/s" ? "bytes_per_second" : "items_per_second";
    return run.counters.at(name).value;
  }

  Limit& row_;
};

Limit measure(const LimitBenchmark& one, double min_time) {
  Limit row = one.row;
  Collector collector(row);
  benchmark::ClearRegisteredBenchmarks();
  register_benchmark(one, min_time);
  benchmark::RunSpecifiedBenchmarks(&collector, ".");
  benchmark::ClearRegisteredBenchmarks();
  return row;
}

class Filter {
 public:
  explicit Filter(const std::string& only) {
    if (only.empty()) return;
    try {
      wanted_.emplace(only);
    } catch (const std::regex_error& error) {
      throw ConfigError(
          fmt::format("--only {}: not a regular expression ({}); must be like 'memory|storage'",
                      only, error.what()));
    }
  }
  [[nodiscard]] bool matches(const std::string& text) const {
    return !wanted_ || std::regex_search(text, *wanted_);
  }

 private:
  std::optional<std::regex> wanted_;
};

struct Work {
  LimitSection section;
  std::vector<LimitBenchmark> benchmarks;
};

std::optional<Work> work_of(const LimitTopic& topic, const LimitsSetting& setting,
                            const Filter& filter) {
  TopicPlan plan = topic.plan(setting);
  Work work;
  work.section.topic = topic.name;
  work.section.title = topic.title;
  work.section.about = topic.about;
  for (LimitBenchmark& one : plan.benchmarks) {
    one.row.topic = topic.name;
    if (filter.matches(id_of(one.row))) work.benchmarks.push_back(std::move(one));
  }
  if (plan.benchmarks.empty() && filter.matches(topic.name)) {
    work.section.left_out = plan.left_out;
    return work;
  }
  if (work.benchmarks.empty()) return std::nullopt;
  return work;
}

std::vector<Work> plan_work(std::span<const LimitTopic> topics, const LimitsSetting& setting,
                            const std::string& only) {
  const Filter filter(only);
  std::vector<Work> all;
  for (const LimitTopic& topic : topics) {
    if (auto work = work_of(topic, setting, filter)) all.push_back(std::move(*work));
  }
  if (!all.empty()) return all;
  std::string names;
  for (const LimitTopic& topic : topics) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", topic.name);
  }
  throw ConfigError(fmt::format(
      "--only {}: matches no limit; names are like memory/copy/256MiB/threads:2, topics are {}",
      only, names));
}

std::size_t count(const std::vector<Work>& all) {
  std::size_t benchmarks = 0;
  for (const Work& work : all) benchmarks += work.benchmarks.size();
  return benchmarks;
}

}  // namespace

Limits measure_limits(std::span<const LimitTopic> topics, const LimitsOptions& options,
                      const OnLimit& on_limit, const std::stop_token& stop) {
  const TemporaryFolder folder = make_scratch_folder(options.folder);
  LimitsSetting setting = make_limits_setting(folder.path(), options.scale);
  setting.own = options.own;
  setting.stop = stop;
  std::vector<Work> all = plan_work(topics, setting, options.only);
  Limits limits;
  const std::size_t total = count(all);
  std::size_t done = 0;
  for (Work& work : all) {
    for (const LimitBenchmark& one : work.benchmarks) {
      if (stop.stop_requested()) break;
      if (on_limit) on_limit(one.row, done++, total);
      Limit row = measure(one, options.min_time);
      // An interrupted benchmark is not a failed one.
      if (stop.stop_requested() && std::isnan(row.value)) break;
      work.section.rows.push_back(std::move(row));
    }
    work.benchmarks.clear();  // Frees the memory and open files that they share.
    const bool has_any = !work.section.rows.empty() || !work.section.left_out.empty();
    if (has_any) limits.sections.push_back(std::move(work.section));
  }
  limits.is_interrupted = stop.stop_requested();
  return limits;
}

Limits measure_limits(const LimitsOptions& options, const OnLimit& on_limit,
                      const std::stop_token& stop) {
  return measure_limits(limit_topics(), options, on_limit, stop);
}

}  // namespace feedrate
