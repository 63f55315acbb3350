// SPDX-License-Identifier: Apache-2.0
// A workload of DLIO, whose YAML MLPerf Storage uses, becomes a sweep. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Whether a configuration is a workload of DLIO and no sweep; also what Hydra keeps of a run of
/// it.
[[nodiscard]] bool is_dlio_workload(const ConfigNode& root);

struct DlioSweep {
  std::string yaml;  ///< the sweep: one cell, and the threshold of au
  /// What it leaves out of the workload, a sentence each.
  std::vector<std::string> warnings;
};

/// `name` stands for a workload that names no model. Throws ConfigError naming file, line and key
/// of what cannot be a sweep.
[[nodiscard]] DlioSweep sweep_of_dlio(const ConfigNode& root, const std::string& name);

}  // namespace feedrate
