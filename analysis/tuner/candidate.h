// SPDX-License-Identifier: Apache-2.0
// A setting that may be recommended.
#pragma once
#include <cstddef>

#include "core/setting.h"

namespace feedrate {

struct Candidate {
  std::size_t cell = 0;  ///< of the plan
  Settings settings;     ///< complete, what has no meaning is empty
  double memory = 0.0;   ///< bytes of host memory, predicted; 0: not known
};

/// What is to be best.
enum class Objective {
  kTime,        ///< samples per second; of equals the cheapest (cost_of)
  kTimeMemory,  ///< of all that reach 95 % of the best rate the one with the least memory
};

}  // namespace feedrate
