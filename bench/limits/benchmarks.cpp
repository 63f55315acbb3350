// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/benchmarks.h"

#include <exception>

#include <benchmark/benchmark.h>

namespace feedrate {

void register_benchmark(const LimitBenchmark& one, std::optional<double> min_time) {
  std::string name = id_of(one.row);
  if (one.in_threads) name.resize(name.rfind('/'));  // Google Benchmark appends the threads itself.
  auto* const added =
      benchmark::RegisterBenchmark(name.c_str(), [body = one.body](benchmark::State& state) {
        try {
          body(state);
        } catch (const std::exception& error) {
          state.SkipWithError(error.what());
        }
      });
  if (min_time) added->MinTime(*min_time);
  if (one.in_threads) added->Threads(one.row.threads);
  one.timing == Timing::kManual ? added->UseManualTime() : added->UseRealTime();
}

}  // namespace feedrate
