// SPDX-License-Identifier: Apache-2.0
// A trainer whose steps end together with those of the other ranks. One thread.
#pragma once
#include <vector>

#include "bench/engines/ranked/step_barrier.h"
#include "bench/trainers/trainer.h"
#include "core/clock.h"

namespace feedrate {

class SynchronizedTrainer final : public Trainer {
 public:
  /// All arguments outlive it.
  SynchronizedTrainer(Trainer& trainer, StepBarrier& barrier, const Clock& clock)
      : trainer_(trainer), barrier_(barrier), clock_(clock) {}

  /// The all-reduce is the step's last part. Also throws PeerFailed, RankLost, Cancelled.
  StepTiming step(Batch batch) override;
  std::vector<DeviceSpans> finish() override { return trainer_.finish(); }

  /// Mean seconds of the all-reduces of the last `steps` steps. REQUIRES: at least `steps` steps
  [[nodiscard]] double all_reduce_time(std::size_t steps) const;

 private:
  Trainer& trainer_;
  StepBarrier& barrier_;
  const Clock& clock_;
  std::vector<double> seconds_;
};

}  // namespace feedrate
