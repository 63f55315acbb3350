// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/summary.h"

#include "analysis/profile/steps.h"

namespace feedrate {

ProfileSummary summarize(const Timeline& timeline, const RunFacts& facts) {
  const std::vector<StepSpan> steps = adjusted_steps(timeline);
  ProfileSummary summary;
  summary.execution = execution_summary(timeline, steps);
  summary.gpus = gpu_summaries(timeline, steps);
  summary.devices = device_times(timeline, steps);
  summary.temporal = temporal_breakdowns(timeline);
  summary.stream_idle = idle_breakdowns(timeline);
  summary.copies = copy_findings(timeline, steps);
  summary.advice =
      advise({timeline, summary.execution, summary.gpus, summary.devices, summary.copies, facts});
  return summary;
}

}  // namespace feedrate
