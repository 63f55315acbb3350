// SPDX-License-Identifier: Apache-2.0
// What `feedrate plan` says of a sweep on several nodes. Any thread.
#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/sweep.h"

namespace feedrate {

/// The shards, their expected times, the node time of all, and how to submit them. Throws
/// ConfigError where there are more shards than cells.
void print_shards(std::ostream& out, const SweepConfig& config, const std::vector<Cell>& plan,
                  const NodePlan& nodes);

/// The shell script that submits the sweep to Slurm (cli/commands/sbatch.h). `plan` is for nodes of
/// `partition_cpus`; without, for nodes as this one. Throws as sbatch_script() does, and as
/// print_shards().
[[nodiscard]] std::string plan_script(const SweepOptions& options, const SweepConfig& config,
                                      const std::vector<Cell>& plan, const NodePlan& nodes,
                                      std::optional<int> partition_cpus);

}  // namespace feedrate
