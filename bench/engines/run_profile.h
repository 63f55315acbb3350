// SPDX-License-Identifier: Apache-2.0
// The profile of one start of a cell: its timeline, which `sweep --trace` draws and
// `sweep --profile` sums up, and the facts that the rules of the advice need.
#pragma once
#include <functional>
#include <string_view>

#include "analysis/profile/advice.h"
#include "bench/engines/run_timeline.h"
#include "bench/plan/cell_spec.h"
#include "core/result.h"

namespace feedrate {

struct RunProfile {
  Timeline timeline;
  RunFacts facts;
};

/// Called by an engine after each start that it measured, on the thread of run().
using OnProfile = std::function<void(const RunProfile&)>;

/// `repeat` is the summary of `measurement`; `device` is unused if the cell discards its batches;
/// `recorded` may be null.
[[nodiscard]] RunProfile make_run_profile(const CellSpec& cell, const Measurement& measurement,
                                          const Repeat& repeat, const DeviceInfo& device,
                                          std::string_view loader_name,
                                          const ProfileSchedule& schedule,
                                          const RecordedTrace* recorded = nullptr);

}  // namespace feedrate
