// SPDX-License-Identifier: Apache-2.0
#include "analysis/data_stalls.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "analysis/best.h"
#include "analysis/noise.h"

namespace feedrate {
namespace {

constexpr const char* kPrepStall = "prep_stall";
constexpr const char* kFetchStall = "fetch_stall";

struct Rates {
  double warm = 0.0;
  double cold = 0.0;
  double trainer = 0.0;
};

std::string cache_of(const CellResult& cell) { return text_of(cell.settings, "cache"); }

std::optional<std::string> all_but_cache(const CellResult& cell) {
  const bool is_known = cache_of(cell) == "warm" || cache_of(cell) == "cold";
  if (!is_known || cell.outcome != Outcome::kOk || is_limit(cell) || !(rate_of(cell) > 0.0)) {
    return std::nullopt;
  }
  std::string words;
  for (const Setting& setting : cell.settings) {
    if (setting.name != "cache") words += to_string(setting.value) + '\n';
  }
  return words;
}

std::map<std::string, Rates> collect(const RunResult& run) {
  std::map<std::string, Rates> rates;
  for (const CellResult& cell : run.cells) {
    const auto words = all_but_cache(cell);
    if (!words) continue;
    Rates& of = rates[*words];
    (cache_of(cell) == "warm" ? of.warm : of.cold) = rate_of(cell);
    if (const double* limit = find_metric(cell.metrics, "trainer_limit")) of.trainer = *limit;
  }
  return rates;
}

void add_stall(CellResult& cell, const char* tag, double rate, double without) {
  if (rate > 0.0 && without > 0.0) {
    cell.metrics.push_back({tag, std::max(0.0, 1.0 - rate / without)});
  }
}

}  // namespace

void add_data_stalls(RunResult& run) {
  const std::map<std::string, Rates> rates = collect(run);
  for (CellResult& cell : run.cells) {
    std::erase_if(cell.metrics, [](const Metric& old) {
      return old.tag == kPrepStall || old.tag == kFetchStall;
    });
    const auto words = all_but_cache(cell);
    if (!words) continue;
    const Rates& of = rates.at(*words);
    add_stall(cell, kPrepStall, of.warm, of.trainer);
    add_stall(cell, kFetchStall, of.cold, of.warm);
  }
}

}  // namespace feedrate
