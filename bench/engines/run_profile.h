// SPDX-License-Identifier: Apache-2.0
// One start of a cell as `sweep --trace` draws it and `sweep --profile` sums it up: its timeline,
// and what the rules of the advice want to know beside it.
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

/// `repeat` is what the measurement was summarised to; `device` is not looked at by a cell whose
/// batches are discarded; `recorded` may be null.
[[nodiscard]] RunProfile make_run_profile(const CellSpec& cell, const Measurement& measurement,
                                          const Repeat& repeat, const DeviceInfo& device,
                                          std::string_view loader_name,
                                          const ProfileSchedule& schedule,
                                          const RecordedTrace* recorded = nullptr);

}  // namespace feedrate
