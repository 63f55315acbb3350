// SPDX-License-Identifier: Apache-2.0
// A limit that is yet to be measured: its row, and the Google Benchmark function that measures it.
// Values; what bodies share they own together.
#pragma once
#include <functional>

#include "bench/limits/limit.h"

namespace benchmark {
class State;
}

namespace feedrate {

enum class Timing {
  kWall,    ///< of the whole iteration
  kManual,  ///< what the body gives to SetIterationTime()
};

/// The body says how much it did by SetBytesProcessed() where the row's unit is "B/s", and by
/// SetItemsProcessed() otherwise, unless the unit is "s": then an iteration's time is the value. A
/// label is a doubt; an exception is why there is no value.
struct LimitBenchmark {
  Limit row;
  std::function<void(benchmark::State&)> body;
  Timing timing = Timing::kWall;
  /// Whether Google Benchmark calls the body in row.threads threads at once. Otherwise the body
  /// starts the threads that it wants.
  bool in_threads = false;
};

/// A counter of the body with which it tells the row's size, where that is not known before.
inline constexpr const char* kSizeCounter = "size";

}  // namespace feedrate
