// SPDX-License-Identifier: Apache-2.0
// How many training processes a launcher has started, or will start, on this node. Any thread, as
// long as no thread changes the environment.
#pragma once
#include "core/host/slurm.h"

namespace feedrate {

struct NodeRanks {
  int count = 1;
  /// Whether the CPUs that this process may use are those of all ranks together: torchrun starts
  /// its ranks without binding them, and a batch script sees all CPUs of its job. srun and mpirun
  /// give each rank CPUs of its own.
  bool share_affinity = false;
};

/// Asks, in this order: LOCAL_WORLD_SIZE (torchrun), OMPI_COMM_WORLD_LOCAL_SIZE (Open MPI),
/// SLURM_STEP_TASKS_PER_NODE with SLURM_NODEID (a task of srun), SLURM_NTASKS_PER_NODE (a batch
/// script). What is not a positive number is not asked. One rank where nothing tells.
[[nodiscard]] NodeRanks ranks_on_node(const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
