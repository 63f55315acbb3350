// SPDX-License-Identifier: Apache-2.0
// Writes a timeline as Chrome trace-event JSON, laid out as the PyTorch profiler lays it out, so
// that Perfetto, chrome://tracing, Holistic Trace Analysis, the profiler's TensorBoard plugin and
// `feedrate trace` read it. Any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// What a trace says of itself beside its events.
struct TraceInfo {
  std::string title;  ///< names the host's process in a viewer
  std::vector<std::pair<std::string, std::string>> metadata;  ///< {"device", "simulated: …"}
};

/// Times are written relative to the timeline's first, in microseconds with three decimals: exact.
/// REQUIRES: on one lane, activities nest or are disjoint (Perfetto drops others). Throws
/// std::invalid_argument unless GPUs are numbered below 64 and host processes from there on: that
/// is how the TensorBoard plugin tells them apart.
void write_trace(std::ostream& out, const Timeline& timeline, const TraceInfo& info);

}  // namespace feedrate
