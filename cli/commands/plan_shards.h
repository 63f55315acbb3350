// SPDX-License-Identifier: Apache-2.0
// The output of `feedrate plan` for several nodes. Any thread.
#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/sweep.h"

namespace feedrate {

/// Prints the shards, their expected times, the node time of all, and how to submit them. Throws
/// ConfigError if there are more shards than cells.
void print_shards(std::ostream& out, const SweepConfig& config, const std::vector<Cell>& plan,
                  const NodePlan& nodes);

/// The shell script that submits the sweep to Slurm (cli/commands/sbatch.h). `plan` is for nodes of
/// `partition_cpus`, or for nodes like this one. Throws as sbatch_script() and print_shards() do.
[[nodiscard]] std::string plan_script(const SweepOptions& options, const SweepConfig& config,
                                      const std::vector<Cell>& plan, const NodePlan& nodes,
                                      std::optional<int> partition_cpus);

}  // namespace feedrate
