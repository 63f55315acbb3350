// SPDX-License-Identifier: Apache-2.0
// A limit to be measured: its row, and the Google Benchmark function that measures it. Plain
// values; bodies share ownership of their data.
#pragma once
#include <functional>
#include <optional>

#include "bench/limits/limit.h"
#include "core/units.h"

namespace benchmark {
class State;
}

namespace feedrate {

enum class Timing {
  kWall,    ///< the time of the whole iteration
  kManual,  ///< the time that the body passes to SetIterationTime()
};

/// The body reports its work by SetBytesProcessed() if the row's unit is "B/s", and by
/// SetItemsProcessed() otherwise; if the unit is "s", the time of an iteration is the value. A
/// label becomes a warning; an exception becomes the reason why there is no value.
struct LimitBenchmark {
  Limit row;
  std::function<void(benchmark::State&)> body;
  Timing timing = Timing::kWall;
  /// Google Benchmark calls the body in row.threads threads. If false, the body starts its own.
  bool in_threads = false;
};

/// Adds `one` to Google Benchmark's list, which is global, under id_of(row). `min_time` is in
/// seconds; without it, Google Benchmark's options apply. One thread.
void register_benchmark(const LimitBenchmark& one, std::optional<double> min_time);

/// The counter by which a body reports the row's size if it is not known in advance.
inline constexpr const char* kSizeCounter = "size";

/// Sums one byte of each page, since mapped pages are loaded only when they are accessed.
[[nodiscard]] inline std::size_t inspect(Bytes bytes) noexcept {
  constexpr std::size_t kPage = 4096;
  std::size_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kPage) {
    sum += std::to_integer<std::size_t>(bytes[at]);
  }
  return sum;
}

}  // namespace feedrate
