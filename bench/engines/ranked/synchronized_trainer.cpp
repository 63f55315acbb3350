// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/synchronized_trainer.h"

#include <span>
#include <utility>

#include "core/statistics.h"

namespace feedrate {

StepTiming SynchronizedTrainer::step(Batch batch) {
  StepTiming timing = trainer_.step(std::move(batch));
  if (!barrier_.reduces()) return timing;
  barrier_.all_reduce();
  const Nanos now = clock_.now();
  seconds_.push_back(to_seconds(now - timing.trained));
  timing.trained = now;
  return timing;
}

double SynchronizedTrainer::all_reduce_time(std::size_t steps) const {
  return mean(std::span(seconds_).last(steps));
}

}  // namespace feedrate
