// SPDX-License-Identifier: Apache-2.0
// Converts a workload of DLIO, whose YAML MLPerf Storage uses, to a sweep. Pure functions; any
// thread.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Whether a configuration is a DLIO workload, or Hydra's record of a run of one, and not a sweep.
[[nodiscard]] bool is_dlio_workload(const ConfigNode& root);

struct DlioSweep {
  std::string yaml;  ///< a sweep of one cell, with the threshold of au
  /// The parts of the workload that it ignores, a sentence each.
  std::vector<std::string> warnings;
};

/// `name` is used if the workload names no model. Throws ConfigError naming file, line and key of
/// what cannot be a sweep.
[[nodiscard]] DlioSweep sweep_of_dlio(const ConfigNode& root, const std::string& name);

}  // namespace feedrate
