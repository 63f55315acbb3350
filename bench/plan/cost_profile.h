// SPDX-License-Identifier: Apache-2.0
// A cost profile as a file: the result of `feedrate calibrate --torch`, for `emulate:` of a sweep.
#pragma once
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "loaders/costs.h"

namespace feedrate {

struct CostProfile {
  LoaderCosts costs;
  std::string machine;   ///< CPU and number of CPUs
  std::string versions;  ///< of torch and Python
  /// Path of the dataset whose samples were measured; empty if none was.
  std::string dataset;
  /// Seconds: the required precision of the loader's own costs. Infinite if the file does not say.
  double settled_within = std::numeric_limits<double>::infinity();
  /// Each measured figure with its interval: comments of the file, not read back.
  std::vector<std::string> figures = {};
};

/// YAML, with a comment for each figure.
[[nodiscard]] std::string to_yaml(const CostProfile& profile);

/// Throws ConfigError naming file, line and key.
[[nodiscard]] CostProfile load_cost_profile(const std::filesystem::path& file);
[[nodiscard]] CostProfile parse_cost_profile(const std::string& text, const std::string& file_name);

}  // namespace feedrate
