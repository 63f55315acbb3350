// MPI for the data of all_reduce(), where the program was built with it and its launcher speaks it.
#pragma once
#include <memory>
#include <string>

#include "ranks/group.h"
#include "ranks/launch.h"

namespace feedrate {

/// "Open MPI 4.1.4"; empty in a program without MPI.
[[nodiscard]] std::string mpi_version();

/// `group` itself, or a group that moves the data of all_reduce() by MPI and does all else as
/// `group` does: so a lost rank ends an all_reduce() that MPI would wait in for ever. Falls back to
/// `group`, and says in `why_not` why, without MPI or where the launcher does not speak it. MPI
/// begins here, once a process and before anything forks; it ends with the process. One thread.
[[nodiscard]] std::unique_ptr<RankGroup> with_mpi(std::unique_ptr<RankGroup> group,
                                                  const Launch& launch, std::string& why_not);

}  // namespace feedrate
