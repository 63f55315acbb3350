// SPDX-License-Identifier: Apache-2.0
// Rebuilds the two runs whose profiles the HPC course "Deep Learning Optimized" shows, so that each
// figure of its tables is reproduced: one A100, before and after tuning the loader.
#pragma once
#include "analysis/profile/timeline.h"

namespace feedrate {

/// One worker, no pinning: 2,721,884 us per step, most of it in the loader.
[[nodiscard]] Timeline course_timeline_before();

/// 16 persistent workers, pinned memory, non_blocking: 142,633 us per step.
[[nodiscard]] Timeline course_timeline_after();

}  // namespace feedrate
