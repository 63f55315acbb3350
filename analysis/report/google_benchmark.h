// SPDX-License-Identifier: Apache-2.0
// A run in the JSON of Google Benchmark, for its compare.py and for what else reads that. Any
// thread.
#pragma once
#include <iosfwd>

#include "core/result.h"

namespace feedrate {

/// A benchmark a measured cell, named "config/num_workers:2/format:tar" by the settings that vary;
/// a repetition a start of the loader, an iteration a step. real_time is the mean step, cpu_time
/// what the host's CPUs worked in it (0 where that is not known), items_per_second are samples; all
/// other metrics are counters. Of two starts and more there are mean, median and stddev, too. Cells
/// without a measurement are left out, as compare.py would take them for fast.
void write_google_benchmark(std::ostream& out, const RunResult& run);

}  // namespace feedrate
