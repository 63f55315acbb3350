// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/join.h"

namespace feedrate {

std::unique_ptr<RankGroup> join_mpi_group(const Launch&, const std::stop_token&,
                                          std::string& why_not) {
  why_not = "this program was built without MPI";
  return nullptr;
}

}  // namespace feedrate
