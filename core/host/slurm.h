// SPDX-License-Identifier: Apache-2.0
// Facts that Slurm, other batch systems and launchers give to jobs. Any thread, as long as no
// thread changes the environment.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// Returns an environment variable by name; nothing if it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;

/// The lookup in this process's own environment.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// Returns "4711", or "4711_3" for a task of an array as squeue does; empty outside Slurm.
[[nodiscard]] std::string slurm_job_id(const EnvironmentLookup& lookup = environment_variable);

/// The id of the batch job of this process in Slurm, PBS or LSF; empty outside one.
[[nodiscard]] std::string batch_job_id(const EnvironmentLookup& lookup = environment_variable);

/// Slurm's name of this node, the host's outside Slurm.
[[nodiscard]] std::string node_name(const EnvironmentLookup& lookup = environment_variable);

/// Returns the tasks of the node at index `node` from a list like SLURM_STEP_TASKS_PER_NODE:
/// "4(x2),3" means four tasks on each of the first two nodes, three on the next. Nothing if `list`
/// is invalid.
[[nodiscard]] std::optional<int> slurm_tasks_of_node(std::string_view list, std::uint64_t node);

/// Returns the CPUs of a partition's smallest node from the output of
/// `sinfo --noheader --format="%P %c"`, whose lines are like "gpu* 64+". An empty `partition` means
/// the default one. Nothing if there is none.
[[nodiscard]] std::optional<int> cpus_of_partition(const std::string& sinfo,
                                                   std::string_view partition);

/// Runs sinfo for the partition of $SBATCH_PARTITION, else for the default one. Nothing without
/// Slurm.
[[nodiscard]] std::optional<int> slurm_partition_cpus(
    const EnvironmentLookup& lookup = environment_variable);

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
