// SPDX-License-Identifier: Apache-2.0
#include "analysis/fairness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "analysis/foreign_load.h"
#include "analysis/noise.h"
#include "core/contains.h"
#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::array<const char*, 3> kVolatileFacts{"memory_available", "dev_shm_free",
                                                    "storage_free"};

struct TellingFact {
  const char* name;
  const char* what;
};

constexpr std::array<TellingFact, 9> kTellingFacts{
    {{"host_name", "Different machines"},
     {"cpu_model", "Different CPUs"},
     {"cpus_usable", "Different numbers of usable CPUs"},
     {"cpu_governor", "Different CPU governors"},
     {"omp_num_threads", "Different values of OMP_NUM_THREADS"},
     {"storage", "Different storage"},
     {"build_type", "Different builds of feedrate"},
     {"feedrate", "Different versions of feedrate"},
     {"engine", "Different engines"}}};

bool is_volatile(const std::string& name) {
  return std::find(kVolatileFacts.begin(), kVolatileFacts.end(), name) != kVolatileFacts.end();
}

std::optional<double> mean_cached(std::span<const CellPair> pairs,
                                  const CellResult* CellPair::*side) {
  double sum = 0.0, count = 0.0;
  for (const CellPair& pair : pairs) {
    const double* const cached = find_metric((pair.*side)->metrics, "cached_before");
    if (cached == nullptr) continue;
    sum += *cached;
    count += 1.0;
  }
  return count == 0.0 ? std::nullopt : std::optional(sum / count);
}

class CautionCollector {
 public:
  CautionCollector(const TwoRuns& runs, std::span<const CellPair> pairs)
      : runs_(runs), pairs_(pairs) {}

  std::vector<std::string> cautions() {
    check_devices();
    check_facts();
    check_data();
    check_cache();
    check_intervals();
    check_record(runs_.a, runs_.label_a);
    check_record(runs_.b, runs_.label_b);
    check_own_warnings(runs_.a, runs_.b, runs_.label_a);
    check_own_warnings(runs_.b, runs_.a, runs_.label_b);
    return std::move(cautions_);
  }

 private:
  void add(std::string caution) { cautions_.push_back(std::move(caution)); }

  void add_difference(const std::string& what, const std::string& of_a, const std::string& of_b) {
    add(fmt::format("{}: {} in {}, {} in {}.", what, of_a, runs_.label_a, of_b, runs_.label_b));
  }

  void check_devices() {
    const auto text = [](const RunResult& run) {
      const std::string notice = simulation_notice(run);
      return notice.empty() ? std::string("a real device") : notice;
    };
    if (text(runs_.a) == text(runs_.b)) return;
    add_difference("Different devices", text(runs_.a), text(runs_.b));
  }

  void check_facts() {
    for (const TellingFact& fact : kTellingFacts) check_fact(fact.name, fact.what);
  }

  void check_fact(const std::string& name, const std::string& what) {
    const std::string* const of_a = find_fact(runs_.a.environment.facts, name);
    const std::string* const of_b = find_fact(runs_.b.environment.facts, name);
    if (of_a == nullptr || of_b == nullptr || *of_a == *of_b) return;
    add_difference(what, *of_a, *of_b);
  }

  void check_data() {
    for (const Fact& fact : runs_.a.environment.facts) {
      if (fact.name.starts_with("dataset")) check_fact(fact.name, "Different data, " + fact.name);
      if (fact.name.starts_with("device "))
        check_fact(fact.name, "Different devices, " + fact.name);
    }
  }

  void check_cache() {
    constexpr double kNotable = 0.1;
    const std::optional<double> of_a = mean_cached(pairs_, &CellPair::a);
    const std::optional<double> of_b = mean_cached(pairs_, &CellPair::b);
    if (!of_a || !of_b || std::abs(*of_a - *of_b) <= kNotable) return;
    add_difference("Different shares of the data in the page cache before the cells",
                   format_value(*of_a, Unit::kRatio), format_value(*of_b, Unit::kRatio));
  }

  void check_intervals() {
    const auto has_none = [](const CellPair& pair) {
      return !uncertain_rate(*pair.a) || !uncertain_rate(*pair.b);
    };
    const auto without = std::count_if(pairs_.begin(), pairs_.end(), has_none);
    if (without == 0) return;
    add(
        fmt::format("{} of {} cells of {} have no confidence interval and no verdict: one repeat "
                    "cannot estimate noise; set measure.repeats to 3 or more.",
                    without, pairs_.size(), runs_.label_b));
  }

  void check_record(const RunResult& run, const std::string& label) {
    if (run.interrupted) add(fmt::format("{} was interrupted.", label));
    if (run.environment.facts.empty()) {
      add(fmt::format("{} has no record of its machine; use run.json, since a CSV has none.",
                      label));
    }
  }

  void check_own_warnings(const RunResult& run, const RunResult& other, const std::string& label) {
    const std::vector<std::string> others = warnings_of(other);
    for (const std::string& warning : warnings_of(run)) {
      if (contains(others, warning)) continue;
      add(fmt::format("In {} only: {}", label, warning));
    }
  }

  const TwoRuns& runs_;
  std::span<const CellPair> pairs_;
  std::vector<std::string> cautions_;
};

}  // namespace

std::vector<Difference> environment_differences(const Environment& a, const Environment& b) {
  std::vector<Difference> differences;
  if (a.facts.empty() || b.facts.empty()) return differences;
  for (const Fact& fact : a.facts) {
    if (is_volatile(fact.name)) continue;
    const std::string* const other = find_fact(b.facts, fact.name);
    if (other != nullptr && *other == fact.value) continue;
    differences.push_back({fact.name, fact.value, other == nullptr ? kMissing : *other});
  }
  for (const Fact& fact : b.facts) {
    if (is_volatile(fact.name) || find_fact(a.facts, fact.name) != nullptr) continue;
    differences.push_back({fact.name, kMissing, fact.value});
  }
  return differences;
}

std::vector<std::string> cautions(const TwoRuns& runs, std::span<const CellPair> pairs) {
  return CautionCollector(runs, pairs).cautions();
}

}  // namespace feedrate
