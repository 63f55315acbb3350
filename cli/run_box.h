// SPDX-License-Identifier: Apache-2.0
// What `feedrate run` says when the script has ended.
#pragma once
#include <iosfwd>

#include "training/tuning.h"
#include "training/watch.h"

namespace feedrate {

/// `tuner` is null where nothing was tuned.
void print_run_box(std::ostream& out, const Watch& watch, const InPlaceTuner* tuner);

}  // namespace feedrate
