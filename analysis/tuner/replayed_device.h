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

  /// The earliest begin of a copy requested now. A blocking call waits for the stream, since it
  /// ends with a synchronization of it, and a pageable copy waits for earlier kernels.
  [[nodiscard]] double copy_may_begin(double now) const;
  void copied(double now);
  /// Queues a copy from pinned memory and returns when the host may continue.
  [[nodiscard]] double queue_copy(double now);

  /// Whether a batch is ready for training: device_prefetch holds some back.
  [[nodiscard]] bool has_step() const;
  /// Launches the oldest batch's kernels and returns when the host may continue, by sync_every.
  [[nodiscard]] double launch(double now);

 private:
  [[nodiscard]] bool has_side_stream() const;

  const BatchCosts& costs_;
  const LoopSettings& settings_;
  double compute_free_ = 0.0;
  double copy_free_ = 0.0;
  std::deque<double> arrivals_;    // Ends of copies of untrained batches.
  std::deque<double> under_way_;   // Ends of copies that the host has not waited for.
  std::deque<double> slots_used_;  // Times at which device memory becomes free.
  std::size_t launched_ = 0;
};

}  // namespace feedrate
