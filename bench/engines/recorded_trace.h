// SPDX-License-Identifier: Apache-2.0
// What a tracer recorded of a cell's device, and its way into the cell's timeline. Plain values and
// a pure function; any thread.
#pragma once
#include <cstdint>

#include "analysis/profile/timeline.h"
#include "core/units.h"
#include "device/activity.h"

namespace feedrate {

struct RecordedTrace {
  ActivityTrace trace;
  Nanos from{};              ///< when the recording began
  std::int64_t thread = -1;  ///< of the training loop, as gettid() numbers it
};

/// Replaces what marks and events say of the calls of CUDA and of the GPU, from `recorded.from` on,
/// by what was recorded; what was launched before stays, since a tracer does not see it. Leaves
/// the activities unsorted.
void use_recorded(Timeline& timeline, const RecordedTrace& recorded);

}  // namespace feedrate
