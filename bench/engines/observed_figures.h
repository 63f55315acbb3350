// What the instruments saw of a cell, as metrics beside those of the events, and where the two
// contradict each other. Pure functions; any thread.
#pragma once
#include <string>
#include <vector>

#include "bench/engines/cell_watch.h"
#include "core/metric.h"
#include "device/buffer.h"

namespace feedrate {

/// As docs/columns.md defines them; what was not seen is not there.
[[nodiscard]] std::vector<Metric> observed_metrics(const Observations& seen);

/// A sentence each, without figures of the cell, so that the same doubt about many cells is one.
/// `metrics` are all of the cell's start; `memory` is where its batches were meant to lie.
[[nodiscard]] std::vector<std::string> observed_doubts(const Observations& seen,
                                                       const std::vector<Metric>& metrics,
                                                       HostMemory memory);

}  // namespace feedrate
