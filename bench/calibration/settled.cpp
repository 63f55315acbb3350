// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/settled.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/format.h"
#include "core/statistics.h"

namespace feedrate {

void PairedFigures::add(double of_torch, double of_native) {
  torch.push_back(of_torch);
  native.push_back(of_native);
}

PairedDifference difference_of(const PairedFigures& figures) {
  constexpr double kOfMedian = 1.2533 * 1.4826;  // of a normal sample: √(π/2), 1 / Φ⁻¹(3/4)
  std::vector<double> differences;
  for (std::size_t i = 0; i < figures.torch.size(); ++i) {
    differences.push_back(figures.torch[i] - figures.native[i]);
  }
  if (differences.empty()) return {0.0, std::numeric_limits<double>::infinity(), 0.0};
  const double center = median(differences);
  std::vector<double> distances;
  for (const double one : differences) distances.push_back(std::abs(one - center));
  const auto count = static_cast<double>(differences.size());
  const double half =
      count < 3.0 ? std::numeric_limits<double>::infinity()
                  : student_t(0.95, count - 1.0) * kOfMedian * median(distances) / std::sqrt(count);
  return {center, half, median(figures.torch)};
}

bool is_settled(const PairedDifference& difference, double share, double negligible) {
  return !std::isfinite(difference.half) ||
         difference.half <= std::max(share * difference.of, negligible);
}

std::string describe(const std::string& figure, const PairedDifference& difference) {
  const bool has_interval = std::isfinite(difference.half);
  return fmt::format("{}: {}{} more than the native loader's", figure,
                     format_value(difference.value, Unit::kSeconds),
                     has_interval ? " ± " + format_value(difference.half, Unit::kSeconds)
                                  : std::string(" (no interval)"));
}

}  // namespace feedrate
