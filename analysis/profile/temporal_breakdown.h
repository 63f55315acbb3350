// SPDX-License-Identifier: Apache-2.0
// Breakdowns of Holistic Trace Analysis (facebookresearch/HolisticTraceAnalysis,
// hta/analyzers/breakdown_analysis.py and communication_analysis.py): the temporal breakdown of
// each GPU, its communication-computation overlap, and the causes of its streams' idle time. Pure
// functions; any thread.
//
// They cover the whole timeline, not its steps. HTA drops the last step unless asked for it
// (include_last_profiler_step), and counts waits shown on a stream as work; here waits do not
// count.
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
  Nanos total{};          ///< from the first begin to the last end of a kernel, copy or memset
  Nanos idle{};           ///< none of these runs
  Nanos compute{};        ///< a kernel runs that is not NCCL's
  Nanos non_compute{};    ///< copies, memsets and communication without such a kernel
  Nanos communication{};  ///< a kernel runs that communicates
  Nanos overlapped{};     ///< part of `communication` with a compute kernel running
};

/// Overlapped share of the communication; empty without communication.
[[nodiscard]] std::optional<double> communication_overlap(const TemporalBreakdown& breakdown);

[[nodiscard]] std::vector<TemporalBreakdown> temporal_breakdowns(const Timeline& timeline);

/// The gaps between the activities of one stream; each whole gap has one cause.
struct IdleBreakdown {
  std::int32_t device = 0;
  std::int64_t stream = 0;
  std::string name;     ///< the stream's name in the timeline; may be empty
  Nanos host_wait{};    ///< the next work was launched after the gap began
  Nanos kernel_wait{};  ///< shorter than the usual delay between two kernels
  Nanos other{};        ///< longer although launched in time, such as a wait for another stream

  [[nodiscard]] Nanos total() const noexcept { return host_wait + kernel_wait + other; }
};

/// HTA's consecutive_kernel_delay: its documentation says 30 ns, but the code compares
/// microseconds.
inline constexpr Nanos kConsecutiveKernelDelay = std::chrono::microseconds(30);

/// Sorted by device, then stream. Work without a launch in the timeline is never a host_wait.
[[nodiscard]] std::vector<IdleBreakdown> idle_breakdowns(
    const Timeline& timeline, Nanos consecutive_kernel_delay = kConsecutiveKernelDelay);

}  // namespace feedrate
