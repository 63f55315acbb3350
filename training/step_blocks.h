// SPDX-License-Identifier: Apache-2.0
// Sums over the steps of a loader, in whole blocks (block_of() of training/watched_loader.h). Times
// are seconds. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.h"

namespace feedrate {

struct StepSums {
  std::size_t steps = 0;
  std::size_t samples = 0;
  double loading = 0.0;
  double training = 0.0;
  double first_batches = 0.0;  ///< the part of `loading` that began or ended an epoch
  std::size_t epochs = 0;      ///< begun by these steps

  StepSums& operator+=(const StepSums& other);
  StepSums& operator-=(const StepSums& other);
};

/// Samples per second; nothing if either is not known.
[[nodiscard]] std::optional<double> rate_of(const StepSums& sums);

/// The begins of epochs, or switches: sums over their steps that are not steady.
struct StartSums {
  std::size_t count = 0;
  std::size_t steps = 0;
  double seconds = 0.0;
};

/// Consecutive steps.
struct StepBlock {
  Nanos begin{};
  Nanos end{};
  StepSums sums;
  double gpu_idle = 0.0;  ///< of the steps that CUDA events timed
  double gpu_busy = 0.0;

  /// `next` follows it.
  void add(const StepBlock& next);
};

/// Consecutive blocks, in bounded memory: once there are many, two neighbors become one, later
/// four, and so on.
class StepBlocks {
 public:
  void add(const StepBlock& block);
  [[nodiscard]] const std::vector<StepBlock>& all() const { return blocks_; }
  /// The block at `time`; null if there is none.
  [[nodiscard]] StepBlock* at(Nanos time);

 private:
  std::vector<StepBlock> blocks_;
  std::size_t stride_ = 1;   // Added blocks that become one.
  std::size_t in_last_ = 0;  // Added blocks in the last one; 0: it is complete.
};

}  // namespace feedrate
