// SPDX-License-Identifier: Apache-2.0
// Writes a timeline as Chrome trace-event JSON in the PyTorch profiler's layout, for Perfetto,
// chrome://tracing, Holistic Trace Analysis, the profiler's TensorBoard plugin and `feedrate
// trace`. Any thread.
#pragma once
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// Metadata of a trace.
struct TraceInfo {
  std::string title;  ///< name of the host's process in a viewer
  std::vector<std::pair<std::string, std::string>> metadata;  ///< {"device", "simulated: …"}
};

/// Times are relative to the timeline's first, in microseconds with three decimals: exact.
/// REQUIRES: on one lane, activities nest or are disjoint (Perfetto drops others). Throws
/// std::invalid_argument unless GPUs are numbered below 64 and host processes from 64, by which the
/// TensorBoard plugin distinguishes them.
void write_trace(std::ostream& out, const Timeline& timeline, const TraceInfo& info);

}  // namespace feedrate
