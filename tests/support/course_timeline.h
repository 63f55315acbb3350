// SPDX-License-Identifier: Apache-2.0
// The two runs whose profiles the HPC course "Deep Learning Optimized" shows, rebuilt so that each
// figure of its tables comes out again: one A100, before and after the loader was tuned.
#pragma once
#include "analysis/profile/timeline.h"

namespace feedrate {

/// One worker, nothing pinned: 2,721,884 us a step, most of it in the loader.
[[nodiscard]] Timeline course_timeline_before();

/// 16 persistent workers, pinned memory, non_blocking: 142,633 us a step.
[[nodiscard]] Timeline course_timeline_after();

}  // namespace feedrate
