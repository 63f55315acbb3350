// SPDX-License-Identifier: Apache-2.0
// Registers limits with Google Benchmark, whose list of benchmarks is global. One thread.
#pragma once
#include <optional>

#include "bench/limits/benchmarks.h"

namespace feedrate {

/// Adds `one` under id_of(row). `min_time` is in seconds; without it, Google Benchmark's options
/// apply.
void register_benchmark(const LimitBenchmark& one, std::optional<double> min_time);

}  // namespace feedrate
