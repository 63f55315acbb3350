// SPDX-License-Identifier: Apache-2.0
// What Slurm and other launchers tell their jobs. Any thread, as long as no thread changes the
// environment.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// An environment variable by name; nothing where it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;

/// The lookup in this process's own environment.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// "4711", "4711_3" for a task of an array as squeue shows it, empty outside Slurm.
[[nodiscard]] std::string slurm_job_id(const EnvironmentLookup& lookup = environment_variable);

/// The id of the batch job that this process belongs to, Slurm's, PBS's or LSF's; empty outside
/// one.
[[nodiscard]] std::string batch_job_id(const EnvironmentLookup& lookup = environment_variable);

/// Slurm's name of this node, the host's outside Slurm.
[[nodiscard]] std::string node_name(const EnvironmentLookup& lookup = environment_variable);

/// Of a list as SLURM_STEP_TASKS_PER_NODE holds ("4(x2),3": four tasks on each of the first two
/// nodes, three on the next), those of a node by its place in it. Nothing where it is no such list.
[[nodiscard]] std::optional<int> slurm_tasks_of_node(std::string_view list, std::uint64_t node);

/// Of what `sinfo --noheader --format="%P %c"` prints, "gpu* 64+" a line: the CPUs of a partition's
/// smallest node; of the default partition where `partition` is empty. Nothing where there is none.
[[nodiscard]] std::optional<int> cpus_of_partition(const std::string& sinfo,
                                                   std::string_view partition);

/// Asks sinfo for the partition of $SBATCH_PARTITION, else for the default one. Nothing without
/// Slurm.
[[nodiscard]] std::optional<int> slurm_partition_cpus(
    const EnvironmentLookup& lookup = environment_variable);

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
