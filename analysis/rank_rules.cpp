// SPDX-License-Identifier: Apache-2.0
#include "analysis/rank_rules.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>

#include "analysis/columns.h"
#include "core/contains.h"
#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr std::array<std::string_view, 16> kRankSums{"samples_per_second",
                                                     "tokens_per_second",
                                                     "flops_per_second",
                                                     "memory",
                                                     "pinned_memory",
                                                     "samples_dropped",
                                                     "storage_read_bytes",
                                                     "called_read_bytes",
                                                     "files_opened",
                                                     "server_requests",
                                                     "server_requests_repeated",
                                                     "monitor_cpu",
                                                     "cpus",
                                                     "foreign_cpu",
                                                     "steal",
                                                     "gpu_power"};

// All ranks wait for the last one; of figures shared by the ranks of a node, the worst counts.
constexpr std::array<std::string_view, 10> kMaxima{
    "first_batch_time", "first_batch_time_cold", "epoch_end_time", "job_time",   "staging_time",
    "memory_used",      "gpu_memory_used",       "network_busy",   "foreign_io", "disturbed"};

// From one rank, so that loading_time + training_time equals step_time.
constexpr std::array<std::string_view, 6> kOfSlowest{
    "loading_time", "training_time", "step_time", "wait_time", "copy_time", "all_reduce_time"};

constexpr std::array<std::string_view, 14> kJointMetrics{"samples_per_second_low",
                                                         "samples_per_second_high",
                                                         "au_verdict",
                                                         "repeats",
                                                         "trainer_limit",
                                                         "loader_limit",
                                                         "stall",
                                                         "headspace",
                                                         "prep_stall",
                                                         "fetch_stall",
                                                         "memory_predicted",
                                                         "pinned_memory_predicted",
                                                         "slowest_rank",
                                                         "straggler"};

bool is_of_slowest(std::string_view tag) {
  return std::any_of(kOfSlowest.begin(), kOfSlowest.end(),
                     [&](std::string_view one) { return tag.starts_with(one); });
}

double combined(AcrossRanks rule, const std::vector<double>& values) {
  if (rule == AcrossRanks::kSum) return std::accumulate(values.begin(), values.end(), 0.0);
  if (rule == AcrossRanks::kMax) return *std::max_element(values.begin(), values.end());
  return mean(values);
}

double metric_or_zero(const std::vector<Metric>& metrics, const char* tag) {
  const double* const value = find_metric(metrics, tag);
  return value == nullptr ? 0.0 : *value;
}

double straggler_share(const std::vector<RankFigures>& ranks, std::size_t slowest) {
  std::vector<double> own;
  for (const RankFigures& rank : ranks) own.push_back(own_step_time(rank.metrics));
  const double middle = median(own);
  return middle > 0.0 ? own[slowest] / middle - 1.0 : 0.0;
}

}  // namespace

AcrossRanks across_ranks(std::string_view tag) {
  if (contains(kJointMetrics, tag)) return AcrossRanks::kOnce;
  if (contains(kRankSums, tag)) return AcrossRanks::kSum;
  if (contains(kMaxima, tag)) return AcrossRanks::kMax;
  if (is_of_slowest(tag)) return AcrossRanks::kSlowest;
  return tag.ends_with("_max") ? AcrossRanks::kMax : AcrossRanks::kMean;
}

std::string_view rule_name(AcrossRanks rule) {
  switch (rule) {
    case AcrossRanks::kMean:
      return "mean";
    case AcrossRanks::kSum:
      return "sum";
    case AcrossRanks::kMax:
      return "max";
    case AcrossRanks::kSlowest:
      return "slowest";
    case AcrossRanks::kOnce:
      break;
  }
  return "";
}

double own_step_time(const std::vector<Metric>& metrics) {
  return std::max(
      0.0, metric_or_zero(metrics, "step_time") - metric_or_zero(metrics, "all_reduce_time"));
}

std::size_t slowest_of(const std::vector<RankFigures>& ranks) {
  const auto slowest =
      std::max_element(ranks.begin(), ranks.end(), [](const RankFigures& a, const RankFigures& b) {
        return own_step_time(a.metrics) < own_step_time(b.metrics);
      });
  return static_cast<std::size_t>(slowest - ranks.begin());
}

std::vector<Metric> combine_ranks(const std::vector<RankFigures>& ranks) {
  const std::size_t slowest = slowest_of(ranks);
  std::vector<Metric> metrics;
  for (const Column& column : metric_columns()) {
    const std::string tag(column.tag);
    const AcrossRanks rule = across_ranks(tag);
    if (rule == AcrossRanks::kOnce) continue;
    std::vector<double> values;
    for (const RankFigures& rank : ranks) {
      if (rule == AcrossRanks::kSlowest && &rank != &ranks[slowest]) continue;
      if (const double* value = find_metric(rank.metrics, tag)) values.push_back(*value);
    }
    if (!values.empty()) metrics.push_back({tag, combined(rule, values)});
  }
  metrics.push_back({"slowest_rank", static_cast<double>(ranks[slowest].rank)});
  metrics.push_back({"straggler", straggler_share(ranks, slowest)});
  return metrics;
}

}  // namespace feedrate
