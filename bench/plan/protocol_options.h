// SPDX-License-Identifier: Apache-2.0
// The number of steps of one start of a loader. Plain values.
#pragma once
#include <cstddef>
#include <optional>

#include "core/units.h"

namespace feedrate {

struct ProtocolOptions {
  std::size_t steps = 60;
  std::size_t warmup = 5;
  std::size_t short_epochs = 2;
  std::size_t num_workers = 0;
  std::size_t max_outstanding = 0;  ///< batches that the loader may have ready
  std::size_t sync_every = 1;       ///< the trainer's
  std::size_t device_prefetch = 0;  ///< the trainer's: steps still to finish when the window ends

  /// The window ends after this time, if it has least_steps() by then.
  std::optional<Nanos> window_limit = std::nullopt;
  static constexpr std::size_t kLeastSteps = 10;

  /// Discarded steps: the largest of warmup, 2 num_workers, max_outstanding and kRunAhead + 1.
  /// Batches come in bursts of num_workers, max_outstanding of them may be ready before the clock
  /// starts, and the host may run ahead of the device by kRunAhead steps.
  [[nodiscard]] std::size_t discarded_steps() const noexcept;
  /// Kept steps: whole rounds of num_workers and of sync_every, because the loading time differs
  /// within a round; at least twice max_outstanding, because how many batches are ready at the
  /// window's two ends is random.
  [[nodiscard]] std::size_t kept_steps() const noexcept;
  /// The number of kept steps in a round.
  [[nodiscard]] std::size_t round() const noexcept;
  /// The fewest useful kept steps: used if window_limit ends the window.
  [[nodiscard]] std::size_t least_steps() const noexcept;
  /// Whether `kept` steps that took `elapsed` complete the window: kept_steps(), or whole rounds
  /// that fill window_limit.
  [[nodiscard]] bool is_window(std::size_t kept, Nanos elapsed) const noexcept;
  /// Batches of a short epoch: one per worker.
  [[nodiscard]] std::size_t short_epoch_batches() const noexcept;
  /// All steps, including the long epoch's first batch and the short epochs. Workers load up to
  /// max_outstanding further batches, which are never used.
  [[nodiscard]] std::size_t total_steps() const noexcept;
};

}  // namespace feedrate
