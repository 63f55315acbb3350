// SPDX-License-Identifier: Apache-2.0
// Groups cells of a run by their conditions (analysis/conditions.h), so that only settings of the
// loader and of the copy differ within a group. Pure functions; any thread. The works must outlive
// the groups.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "analysis/tuner/fitted_work.h"

namespace feedrate {

struct SituatedWorks {
  std::string name;  ///< its conditions that vary; may be empty
  std::vector<const FittedWork*> works;
};

[[nodiscard]] std::vector<SituatedWorks> situate(std::span<const FittedWork> works);

}  // namespace feedrate
