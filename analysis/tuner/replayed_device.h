// SPDX-License-Identifier: Apache-2.0
// The device of the replay: one copy engine and one kernel at a time, on one stream or two. Times
// are seconds; one thread.
#pragma once
#include <cstddef>
#include <deque>

#include "analysis/tuner/replay.h"

namespace feedrate {

class ReplayedDevice {
 public:
  ReplayedDevice(const BatchCosts& costs, const LoopSettings& settings);

  /// When the copy that is asked for now may begin. A blocking call waits for the stream, since it
  /// ends with a synchronisation of it, and a pageable copy waits for earlier kernels.
  [[nodiscard]] double copy_may_begin(double now) const;
  /// The blocking copy is over.
  void copied(double now);
  /// Queues a copy from pinned memory and returns when the host may go on.
  [[nodiscard]] double queue_copy(double now);

  /// Whether a batch is there to be trained on: device_prefetch holds some back.
  [[nodiscard]] bool owes_step() const;
  /// Launches the oldest batch's kernels and returns when the host may go on, as sync_every says.
  [[nodiscard]] double launch(double now);

 private:
  [[nodiscard]] bool has_side_stream() const;

  const BatchCosts& costs_;
  const LoopSettings& settings_;
  double compute_free_ = 0.0;
  double copy_free_ = 0.0;
  std::deque<double> arrivals_;    // When the copies of batches not yet trained on end.
  std::deque<double> under_way_;   // When copies that the host has not waited for end.
  std::deque<double> slots_used_;  // When device memory becomes free again.
  std::size_t launched_ = 0;
};

}  // namespace feedrate
