// SPDX-License-Identifier: Apache-2.0
#include "core/multiple_tests.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace feedrate {
namespace {

double largest_rejected(std::span<const double> p_values, double level) {
  std::vector<double> sorted(p_values.begin(), p_values.end());
  std::sort(sorted.begin(), sorted.end());
  const double step = level / static_cast<double>(sorted.size());
  for (std::size_t i = sorted.size(); i > 0; --i) {
    if (sorted[i - 1] <= step * static_cast<double>(i)) return sorted[i - 1];
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<bool> reject_by_false_discovery_rate(std::span<const double> p_values, double level) {
  const double largest = largest_rejected(p_values, level);
  std::vector<bool> rejected;
  for (const double p : p_values) rejected.push_back(p <= largest);
  return rejected;
}

}  // namespace feedrate
