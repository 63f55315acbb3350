// SPDX-License-Identifier: Apache-2.0
// The number of training processes that a launcher starts on this node. Any thread, as long as no
// thread changes the environment.
#pragma once
#include "core/host/slurm.h"

namespace feedrate {

struct NodeRanks {
  int count = 1;
  /// Whether all ranks share the CPUs that this process may use: torchrun does not bind its ranks,
  /// and a batch script sees all CPUs of its job. srun and mpirun give each rank its own CPUs.
  bool share_affinity = false;
};

/// Reads, in this order: LOCAL_WORLD_SIZE (torchrun), OMPI_COMM_WORLD_LOCAL_SIZE (Open MPI),
/// SLURM_STEP_TASKS_PER_NODE with SLURM_NODEID (a task of srun), SLURM_NTASKS_PER_NODE (a batch
/// script). Ignores values that are not positive numbers. Default: one rank.
[[nodiscard]] NodeRanks ranks_on_node(const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
