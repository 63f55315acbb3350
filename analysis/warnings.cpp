// SPDX-License-Identifier: Apache-2.0
#include "analysis/warnings.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace feedrate {
namespace {

// Words of warnings, including those of old results.
constexpr std::array<std::string_view, 18> kLargest{"is a model, not a GPU",
                                                    "without optimization",
                                                    "without optimisation",
                                                    "damaged",
                                                    "lacks",
                                                    "are ignored",
                                                    "left out",
                                                    "shards missing",
                                                    "parts missing",
                                                    "other process",
                                                    "other program",
                                                    "another program",
                                                    "clocks were",
                                                    "quota",
                                                    "share",
                                                    "One repeat",
                                                    "One start",
                                                    "are few"};

auto rank_of(const std::string& warning) {
  return std::find_if(kLargest.begin(), kLargest.end(), [&](std::string_view part) {
    return warning.find(part) != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> largest_first(std::vector<std::string> warnings) {
  std::stable_sort(
      warnings.begin(), warnings.end(),
      [](const std::string& a, const std::string& b) { return rank_of(a) < rank_of(b); });
  return warnings;
}

}  // namespace feedrate
