// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/join.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr const char* kRemedy =
    "build feedrate with MPI (-DFEEDRATE_MPI=ON) and start it by that MPI's mpirun or by `srun "
    "--mpi=pmix`, or run one job a node, each with its --shard";

[[noreturn]] void refuse(const Launch& launch, const std::string& why_no_mpi) {
  if (launch.local_size < launch.size) {
    throw ConfigError(
        fmt::format("ranks on several nodes need MPI: {} started {}, {} of them on "
                    "node {}, and {}; {}",
                    to_string(launch.launcher), launch.size, launch.local_size, launch.node,
                    why_no_mpi, kRemedy));
  }
  throw ConfigError(
      fmt::format("{} sets no job name by which its ranks find each other, and {}; {}",
                  to_string(launch.launcher), why_no_mpi, kRemedy));
}

}  // namespace

std::unique_ptr<RankGroup> join_group(const Launch& launch, const std::stop_token& stop) {
  if (launch.size == 1) return make_single_group(launch.node);
  std::string why_no_mpi;
  if (auto group = join_mpi_group(launch, stop, why_no_mpi)) return group;
  const bool has_name = launch.launcher == Launcher::own || !launch.job.empty();
  if (launch.local_size < launch.size || !has_name) refuse(launch, why_no_mpi);
  return join_local_group(launch, {}, stop);
}

}  // namespace feedrate
