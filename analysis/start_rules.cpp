// SPDX-License-Identifier: Apache-2.0
#include "analysis/start_rules.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

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

}  // namespace feedrate
