// SPDX-License-Identifier: Apache-2.0
// Writes a run in the JSON format of Google Benchmark, for its compare.py. Any thread.
#pragma once
#include <iosfwd>

#include "core/result.h"

namespace feedrate {

/// One benchmark per measured cell, named "config/num_workers:2/format:tar" by the settings that
/// vary; one repetition per loader start, one iteration per step. real_time is the mean step,
/// cpu_time the CPU time of the host in it (0 if unknown), items_per_second are samples; all other
/// metrics are counters. With two or more starts there are also mean, median and stddev. Unmeasured
/// cells are left out, since compare.py would take them for fast.
void write_google_benchmark(std::ostream& out, const RunResult& run);

}  // namespace feedrate
