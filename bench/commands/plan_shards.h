// What `feedrate plan` says of a sweep on several nodes. Any thread.
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "bench/commands/sweep.h"

namespace feedrate {

/// The shards, their expected times, the node time of all, and how to submit them. Throws
/// ConfigError where there are more shards than cells.
void print_shards(std::ostream& out, const SweepConfig& config, const std::vector<Cell>& plan,
                  const NodePlan& nodes);

/// The shell script that submits the sweep to Slurm (bench/sbatch.h), for nodes as a partition's
/// where sinfo tells, else as this one. Throws as sbatch_script() and sweep_plan() do.
[[nodiscard]] std::string plan_script(const SweepOptions& options, const SweepConfig& config,
                                      const NodePlan& nodes);

}  // namespace feedrate
