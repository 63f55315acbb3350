// SPDX-License-Identifier: Apache-2.0
// All summaries of a timeline. Pure functions; any thread.
#pragma once
#include <vector>

#include "analysis/profile/advice.h"
#include "analysis/profile/copy_findings.h"
#include "analysis/profile/execution_summary.h"
#include "analysis/profile/gpu_summary.h"
#include "analysis/profile/idle.h"
#include "analysis/profile/temporal_breakdown.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

struct ProfileSummary {
  ExecutionSummary execution;
  std::vector<GpuSummary> gpus;
  std::vector<DeviceTimes> devices;
  std::vector<TemporalBreakdown> temporal;
  std::vector<IdleBreakdown> stream_idle;
  std::vector<CopyFinding> copies;
  std::vector<Advice> advice;
};

[[nodiscard]] ProfileSummary summarize(const Timeline& timeline, const RunFacts& facts = {});

}  // namespace feedrate
