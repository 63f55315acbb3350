// SPDX-License-Identifier: Apache-2.0
// Adds the trace of a cell's device to the cell's timeline. Plain values and a pure function; any
// thread.
#pragma once
#include <cstdint>

#include "analysis/profile/timeline.h"
#include "core/units.h"
#include "device/activity.h"

namespace feedrate {

struct RecordedTrace {
  ActivityTrace trace;
  Nanos from{};              ///< when the recording began
  std::int64_t thread = -1;  ///< gettid() of the training loop
};

/// From `recorded.from` on, replaces the CUDA calls and GPU activities that marks and events gave
/// by the recorded ones. Work launched before stays, since the tracer does not record it. Leaves
/// the activities unsorted.
void use_recorded(Timeline& timeline, const RecordedTrace& recorded);

}  // namespace feedrate
