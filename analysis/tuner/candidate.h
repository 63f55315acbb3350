// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "core/setting.h"

namespace feedrate {

struct Candidate {
  std::size_t cell = 0;  ///< index in the plan
  Settings settings;     ///< complete; empty without a meaning
  double memory = 0.0;   ///< predicted bytes of host memory; 0: unknown
};

enum class Objective {
  kTime,        ///< samples per second; of equal ones the cheapest (cost_of)
  kTimeMemory,  ///< the least memory with at least 95 % of the best rate
};

}  // namespace feedrate
