// SPDX-License-Identifier: Apache-2.0
// Idle, compute and other time of each GPU, how much of its communication computation hides, and
// why its streams were idle: the temporal breakdown, the communication-computation overlap and the
// idle time breakdown of Holistic Trace Analysis (facebookresearch/HolisticTraceAnalysis,
// hta/analyzers/breakdown_analysis.py and communication_analysis.py). Pure functions; any thread.
//
// Of the whole timeline, not of its steps. HTA leaves the last step out unless asked for it
// (include_last_profiler_step), and lets waits that its trace shows on a stream count as work; here
// a wait is none.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// total = idle + compute + non_compute.
struct TemporalBreakdown {
  std::int32_t device = 0;
  Nanos total{};          ///< from the first begin of a kernel, copy or memset to the last end
  Nanos idle{};           ///< none of them running
  Nanos compute{};        ///< a kernel running that is not NCCL's
  Nanos non_compute{};    ///< copies, memsets and communication that no such kernel hides
  Nanos communication{};  ///< a kernel running that communicates …
  Nanos overlapped{};     ///< … and one that computes beside it
};

/// Of the communication; empty without any.
[[nodiscard]] std::optional<double> communication_overlap(const TemporalBreakdown& breakdown);

[[nodiscard]] std::vector<TemporalBreakdown> temporal_breakdowns(const Timeline& timeline);

/// The gaps between the activities of one stream, each given to one reason as a whole.
struct IdleBreakdown {
  std::int32_t device = 0;
  std::int64_t stream = 0;
  std::string name;     ///< as the timeline calls the stream; empty: it does not
  Nanos host_wait{};    ///< what follows was not yet asked for when the gap began
  Nanos kernel_wait{};  ///< short: what the GPU takes between two kernels
  Nanos other{};        ///< long, though asked for in time: a wait for another stream, say

  [[nodiscard]] Nanos total() const noexcept { return host_wait + kernel_wait + other; }
};

/// HTA's consecutive_kernel_delay: documented as 30 ns, compared with microseconds.
inline constexpr Nanos kConsecutiveKernelDelay = std::chrono::microseconds(30);

/// By device, then stream. What has no launch in the timeline is never a host_wait.
[[nodiscard]] std::vector<IdleBreakdown> idle_breakdowns(
    const Timeline& timeline, Nanos consecutive_kernel_delay = kConsecutiveKernelDelay);

}  // namespace feedrate
