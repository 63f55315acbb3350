// SPDX-License-Identifier: Apache-2.0
// What ties the steps of a rank to those of the others while a cell is measured: all begin each
// epoch together, and add up gradients after each step. A rank that cannot go on takes part once
// more, so that all end the cell at the same place and the group is kept for the next one.
#pragma once
#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include "bench/engines/ranked/gradient_sum.h"
#include "bench/ranks/group.h"
#include "core/error.h"

namespace feedrate {

/// Another rank could not go on; its own answer says why.
class PeerFailed : public Error {
 public:
  PeerFailed();
};

/// What the ranks do together in one start of a loader: the same on all of them.
struct TiePlan {
  std::size_t agreements_before = 0;         ///< calls of agree() before the first epoch
  std::vector<std::size_t> steps_of_epochs;  ///< each with a sum, if there is one
};

/// One thread. After RankLost or Cancelled from any of these the group is of no use.
class StepBarrier {
 public:
  /// `group` outlives it. `stop` ends what waits for the others. `sum` is null where nothing is to
  /// be reduced.
  StepBarrier(RankGroup& group, TiePlan plan, std::unique_ptr<GradientSum> sum,
              std::stop_token stop);

  /// Waits for all. Throws PeerFailed.
  void agree();
  /// The same, before each epoch.
  void begin_epoch();
  /// After each step of an epoch. Does nothing where nothing is to be reduced. Throws PeerFailed.
  void all_reduce();
  [[nodiscard]] bool reduces() const noexcept { return sum_ != nullptr; }

  /// Tells the others, where they wait next, that this rank cannot go on. Once, and not after
  /// PeerFailed.
  void give_up();

  [[nodiscard]] int local_rank() const;

 private:
  RankGroup& group_;
  const TiePlan plan_;
  const std::unique_ptr<GradientSum> sum_;  // And beside it, of how many ranks cannot go on.
  const std::stop_token stop_;
  std::size_t agreements_ = 0;  // So far.
  std::size_t to_reduce_ = 0;   // Steps of this epoch that are to come.
};

}  // namespace feedrate
