// SPDX-License-Identifier: Apache-2.0
// Reads which rank this process is, and of how many, from its launcher's environment variables:
// srun, mpirun of Open MPI, Hydra of MPICH and Intel MPI, PMI alone, torchrun, or spawn.h. Safe
// from any thread while the environment does not change.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/host/slurm.h"

namespace feedrate {

enum class Launcher { none, own, torchrun, open_mpi, hydra, slurm, pmi };

/// The name for messages: "no launcher", "feedrate", "torchrun", "mpirun (Open MPI)", …
[[nodiscard]] std::string_view to_string(Launcher launcher);

struct Launch {
  Launcher launcher = Launcher::none;
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;  ///< ranks on this node
  std::string node;    ///< Slurm's name of the node, else the host name
  /// Distinguishes this start from all others of this user: "slurm-4711.0"; empty if no variable
  /// does.
  std::string job;
  std::vector<int> sockets;  ///< file descriptors inherited from spawn.h
};

/// Reads the innermost launcher if several are nested, as torchrun within a task of srun. Without a
/// launcher, and in a batch script of Slurm, which is not a task, there is one rank. Throws
/// ConfigError, which names the variables, if they contradict each other, are not numbers, or one
/// of a set is missing. An empty `host_name` means this machine's.
[[nodiscard]] Launch read_launch(const EnvironmentLookup& lookup = environment_variable,
                                 std::string host_name = "");

}  // namespace feedrate
