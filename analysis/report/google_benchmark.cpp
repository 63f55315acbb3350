// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/google_benchmark.h"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/cell_text.h"
#include "analysis/foreign_load.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

using Json = nlohmann::ordered_json;
using Metrics = std::vector<Metric>;

constexpr double kNanosPerSecond = 1e9;

double value_of(const Metrics& metrics, const char* tag) {
  const double* const value = find_metric(metrics, tag);
  return value != nullptr && std::isfinite(*value) ? *value : 0.0;
}

struct Times {
  double real = 0.0;  // Nanoseconds per step.
  double cpu = 0.0;
  double samples_per_second = 0.0;
};

Times times_of(const Metrics& metrics) {
  const double step = value_of(metrics, "step_time");
  const double rate = value_of(metrics, "samples_per_second");
  const double cpu = value_of(metrics, "cpu_time") * rate * step;
  return {step * kNanosPerSecond, cpu * kNanosPerSecond, rate};
}

std::string name_of(const RunResult& run, const CellResult& cell,
                    const std::vector<std::string>& varying) {
  std::string name = run.config_name.empty() ? "feedrate" : run.config_name;
  for (const std::string& setting : varying) {
    const std::string text = setting_text(cell, setting);
    if (!text.empty()) name += fmt::format("/{}:{}", setting, text);
  }
  return name;
}

std::string fact(const RunResult& run, const std::string& name) {
  for (const Fact& one : run.environment.facts) {
    if (one.name == name) return one.value;
  }
  return {};
}

Json context(const RunResult& run) {
  const std::string governor = fact(run, "cpu_governor");
  const std::string cpus = fact(run, "cpus_usable");
  Json context{{"date", run.started_at},
               {"host_name", fact(run, "host_name")},
               {"executable", "feedrate " + fact(run, "feedrate")},
               {"num_cpus", std::atoi(cpus.c_str())},
               {"mhz_per_cpu", 0},
               {"cpu_scaling_enabled", !governor.empty() && governor != "performance"},
               {"caches", Json::array()},
               {"library_build_type", fact(run, "build_type") == "Debug" ? "debug" : "release"},
               {"json_schema_version", 1}};
  context["command"] = run.command;
  context["simulated"] = simulation_notice(run);
  const std::vector<std::string> warnings = warnings_of(run);
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    context[fmt::format("warning {}", i + 1)] = warnings[i];
  }
  return context;
}

class Benchmarks {
 public:
  explicit Benchmarks(const RunResult& run) : run_(run), varying_(varying_settings(run)) {}

  [[nodiscard]] Json all() {
    for (const CellResult& cell : run_.cells) {
      if (cell.outcome == Outcome::kOk && times_of(cell.metrics).real > 0.0) add(cell);
    }
    return std::move(benchmarks_);
  }

 private:
  void add(const CellResult& cell) {
    const std::string name = name_of(run_, cell, varying_);
    // cells.csv has no starts.
    std::vector<Metrics> starts;
    for (const Repeat& repeat : cell.repeats) starts.push_back(repeat.metrics);
    if (starts.empty()) starts.push_back(cell.metrics);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      benchmarks_.push_back(repetition(name, starts, i));
    }
    if (starts.size() > 1) add_aggregates(name, starts);
    ++family_;
  }

  [[nodiscard]] Json head(const std::string& name, const std::string& suffix,
                          std::size_t repetitions) const {
    return {{"name", name + suffix}, {"family_index", family_},    {"per_family_instance_index", 0},
            {"run_name", name},      {"repetitions", repetitions}, {"threads", 1}};
  }

  static void add_times(Json& benchmark, const Times& times) {
    benchmark["real_time"] = times.real;
    benchmark["cpu_time"] = times.cpu;
    benchmark["time_unit"] = "ns";
    benchmark["items_per_second"] = times.samples_per_second;
  }

  [[nodiscard]] Json repetition(const std::string& name, const std::vector<Metrics>& starts,
                                std::size_t index) const {
    Json benchmark = head(name, "", starts.size());
    benchmark["run_type"] = "iteration";
    benchmark["repetition_index"] = index;
    benchmark["iterations"] = static_cast<std::uint64_t>(value_of(starts[index], "steps"));
    add_times(benchmark, times_of(starts[index]));
    for (const Metric& metric : starts[index]) {
      if (std::isfinite(metric.value) && !benchmark.contains(metric.tag)) {
        benchmark[metric.tag] = metric.value;
      }
    }
    return benchmark;
  }

  void add_aggregates(const std::string& name, const std::vector<Metrics>& starts) {
    using Aggregate = std::function<double(const std::vector<double>&)>;
    const auto over_starts = [&](const Aggregate& of, double Times::*member) {
      std::vector<double> values;
      for (const Metrics& start : starts) values.push_back(times_of(start).*member);
      return of(values);
    };
    const auto add_one = [&](const char* what, const Aggregate& of) {
      Json benchmark = head(name, fmt::format("_{}", what), starts.size());
      benchmark["run_type"] = "aggregate";
      benchmark["aggregate_name"] = what;
      benchmark["aggregate_unit"] = "time";
      benchmark["iterations"] = starts.size();
      add_times(benchmark, {over_starts(of, &Times::real), over_starts(of, &Times::cpu),
                            over_starts(of, &Times::samples_per_second)});
      benchmarks_.push_back(std::move(benchmark));
    };
    add_one("mean", [](const std::vector<double>& values) { return mean(values); });
    add_one("median", [](const std::vector<double>& values) { return median(values); });
    add_one("stddev", [](const std::vector<double>& values) { return sample_stddev(values); });
  }

  const RunResult& run_;
  const std::vector<std::string> varying_;
  Json benchmarks_ = Json::array();
  std::size_t family_ = 0;
};

}  // namespace

void write_google_benchmark(std::ostream& out, const RunResult& run) {
  const Json document{{"context", context(run)}, {"benchmarks", Benchmarks(run).all()}};
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace feedrate
