// SPDX-License-Identifier: Apache-2.0
#include "core/rank_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/statistics.h"

namespace feedrate {
namespace {

int order_of(double first, double second) { return (first > second) - (first < second); }

double correlation(std::span<const double> a, std::span<const double> b) {
  const double center_a = mean(a), center_b = mean(b);
  double both = 0.0, squares_a = 0.0, squares_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - center_a) * (b[i] - center_b);
    squares_a += (a[i] - center_a) * (a[i] - center_a);
    squares_b += (b[i] - center_b) * (b[i] - center_b);
  }
  return both / std::sqrt(squares_a * squares_b);
}

}  // namespace

std::vector<double> fractional_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2.0;
    for (std::size_t position = begin; position < end; ++position) ranks[order[position]] = shared;
  }
  return ranks;
}

double kendall_tau_b(std::span<const double> a, std::span<const double> b,
                     std::span<const IndexPair> pairs) {
  double surplus = 0.0, untied_a = 0.0, untied_b = 0.0;
  for (const IndexPair& pair : pairs) {
    const int in_a = order_of(a[pair.first], a[pair.second]);
    const int in_b = order_of(b[pair.first], b[pair.second]);
    surplus += in_a * in_b;
    untied_a += in_a != 0 ? 1.0 : 0.0;
    untied_b += in_b != 0 ? 1.0 : 0.0;
  }
  if (untied_a == 0.0 || untied_b == 0.0) return std::numeric_limits<double>::quiet_NaN();
  return surplus / std::sqrt(untied_a * untied_b);
}

double kendall_tau_b(std::span<const double> a, std::span<const double> b) {
  return kendall_tau_b(a, b, all_pairs(a.size()));
}

std::vector<IndexPair> all_pairs(std::size_t count) {
  std::vector<IndexPair> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

double spearman_rho(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return correlation(fractional_ranks(a), fractional_ranks(b));
}

}  // namespace feedrate
