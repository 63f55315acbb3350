// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

struct OutcomeWord {
  Outcome outcome;
  const char* word;
};

constexpr std::array<OutcomeWord, 4> kOutcomeWords{{{Outcome::kPending, "pending"},
                                                    {Outcome::kOk, "ok"},
                                                    {Outcome::kSkipped, "skipped"},
                                                    {Outcome::kFailed, "failed"}}};

}  // namespace

const char* to_string(Outcome outcome) noexcept {
  for (const OutcomeWord& entry : kOutcomeWords) {
    if (entry.outcome == outcome) return entry.word;
  }
  return "unknown";
}

Outcome outcome_from_string(const std::string& word) {
  for (const OutcomeWord& entry : kOutcomeWords) {
    if (entry.word == word) return entry.outcome;
  }
  throw FormatError(
      fmt::format("outcome \"{}\": unknown; must be pending, ok, skipped or failed", word));
}

const double* find_metric(const std::vector<Metric>& metrics, const std::string& tag) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.tag == tag; });
  return found == metrics.end() ? nullptr : &found->value;
}

const std::string* find_fact(const std::vector<Fact>& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name == name; });
  return found == facts.end() ? nullptr : &found->value;
}

const std::string& jobid_of(const RunResult& run, const CellResult& cell) {
  return cell.jobid.empty() ? run.jobid : cell.jobid;
}

}  // namespace feedrate
