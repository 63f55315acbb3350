// SPDX-License-Identifier: Apache-2.0
// A cost profile as a file: what `feedrate calibrate` found on a machine, for `emulate:` of a
// sweep.
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
  /// Whose samples were measured: the path of the dataset; empty where none was measured.
  std::string dataset;
  /// Seconds: how well the loader's own costs had to be known. Infinite where no file says so.
  double settled_within = std::numeric_limits<double>::infinity();
  /// What was measured, each figure with its interval: comments of the file, which are not read
  /// back.
  std::vector<std::string> figures = {};
};

/// YAML, with a comment for each figure.
[[nodiscard]] std::string to_yaml(const CostProfile& profile);

/// Throws ConfigError naming file, line and key.
[[nodiscard]] CostProfile load_cost_profile(const std::filesystem::path& file);
[[nodiscard]] CostProfile parse_cost_profile(const std::string& text, const std::string& file_name);

}  // namespace feedrate
