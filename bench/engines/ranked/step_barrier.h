// SPDX-License-Identifier: Apache-2.0
// Synchronizes the steps of a rank with those of the others while a cell is measured: all begin
// each epoch together, and add up gradients after each step. A rank that fails takes part once
// more, so that all ranks end the cell at the same step and the group serves the next cell.
#pragma once
#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include "bench/engines/ranked/gradient_sum.h"
#include "bench/ranks/group.h"
#include "core/error.h"

namespace feedrate {

/// Another rank failed; its own report says why.
class PeerFailed : public Error {
 public:
  PeerFailed();
};

/// The collective operations of one start of a loader, the same in all ranks.
struct BarrierPlan {
  std::size_t agreements_before = 0;         ///< calls of agree() before the first epoch
  std::vector<std::size_t> steps_of_epochs;  ///< each step ends with a sum if `sum` is not null
};

/// One thread. After RankLost or Cancelled from any function the group cannot be used again.
class StepBarrier {
 public:
  /// `group` outlives it. `stop` ends waits for other ranks. `sum` is null if nothing is reduced.
  StepBarrier(RankGroup& group, BarrierPlan plan, std::unique_ptr<GradientSum> sum,
              std::stop_token stop);

  /// Waits for all ranks. Throws PeerFailed.
  void agree();
  /// Like agree(); called before each epoch.
  void begin_epoch();
  /// Called after each step of an epoch. Does nothing if !reduces(). Throws PeerFailed.
  void all_reduce();
  [[nodiscard]] bool reduces() const noexcept { return sum_ != nullptr; }

  /// Tells the others, when they wait next, that this rank failed. May be called once, and not
  /// after PeerFailed.
  void give_up();

  [[nodiscard]] int local_rank() const;

 private:
  RankGroup& group_;
  const BarrierPlan plan_;
  const std::unique_ptr<GradientSum> sum_;  // Its `own` counts the ranks that failed.
  const std::stop_token stop_;
  std::size_t agreements_ = 0;  // Number of calls of agree().
  std::size_t to_reduce_ = 0;   // Remaining steps of this epoch.
};

}  // namespace feedrate
