// SPDX-License-Identifier: Apache-2.0
// The way of a limit into Google Benchmark, whose list of benchmarks is one for the whole program.
// One thread.
#pragma once
#include <optional>

#include "bench/limits/benchmarks.h"

namespace feedrate {

/// Adds it under id_of(row). `min_time` in seconds; without it Google Benchmark's own options rule.
void register_benchmark(const LimitBenchmark& one, std::optional<double> min_time);

}  // namespace feedrate
