// SPDX-License-Identifier: Apache-2.0
// Which rank this process is, of how many, by what its launcher put into the environment: srun,
// mpirun of Open MPI, Hydra of MPICH and Intel MPI, PMI alone, torchrun, or spawn.h. Any thread, as
// long as nobody changes the environment meanwhile.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/host/slurm.h"

namespace feedrate {

enum class Launcher { none, own, torchrun, open_mpi, hydra, slurm, pmi };

/// "no launcher", "feedrate", "torchrun", "mpirun (Open MPI)", …, for people.
[[nodiscard]] std::string_view to_string(Launcher launcher);

struct Launch {
  Launcher launcher = Launcher::none;
  int rank = 0;
  int size = 1;
  int local_rank = 0;
  int local_size = 1;  ///< ranks on this node
  std::string node;    ///< Slurm's name of it, else the host's
  /// Tells this start from all others of this user: "slurm-4711.0"; empty where nothing does.
  std::string job;
  std::vector<int> sockets;  ///< of spawn.h: those that this process has inherited
};

/// The innermost launcher counts where there are several, as torchrun within a task of srun does.
/// One rank without a launcher: also in a batch script of Slurm, which is not a task. Throws
/// ConfigError, which names the variables, where they contradict each other, are not numbers, or
/// one of a set is missing. `host_name` is this machine's where it is not given.
[[nodiscard]] Launch read_launch(const EnvironmentLookup& lookup = environment_variable,
                                 std::string host_name = "");

}  // namespace feedrate
