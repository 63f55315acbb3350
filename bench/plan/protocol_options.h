// SPDX-License-Identifier: Apache-2.0
// How many steps one start of a loader takes: discarded, kept and of short epochs. Plain values.
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
  std::size_t sync_every = 1;       ///< of the trainer
  std::size_t device_prefetch = 0;  ///< of the trainer: steps that it owes when the window is over

  /// The window ends when it has lasted so long, if it has least_steps() by then.
  std::optional<Nanos> window_limit = std::nullopt;
  static constexpr std::size_t kLeastSteps = 10;

  /// Discarded: batches come in bursts of num_workers, max_outstanding of them may be ready before
  /// the clock starts, and the host may run ahead of the device by kRunAhead steps; so the largest
  /// of warmup, 2 num_workers, max_outstanding and kRunAhead + 1.
  [[nodiscard]] std::size_t discarded_steps() const noexcept;
  /// Kept: whole rounds of num_workers and of sync_every, since what a step waits for differs
  /// within a round; at least twice max_outstanding, since how much of that is ready at the
  /// window's two ends is chance.
  [[nodiscard]] std::size_t kept_steps() const noexcept;
  /// Kept steps of a round.
  [[nodiscard]] std::size_t round() const noexcept;
  /// Kept ones where window_limit ends the window: as few of them as say something.
  [[nodiscard]] std::size_t least_steps() const noexcept;
  /// `kept` steps, which took `elapsed`, are the window: kept_steps() or, in whole rounds, what
  /// fits into window_limit.
  [[nodiscard]] bool is_window(std::size_t kept, Nanos elapsed) const noexcept;
  /// Batches of a short epoch: one a worker.
  [[nodiscard]] std::size_t short_epoch_batches() const noexcept;
  /// All steps, those of the long epoch's first batch and of the short epochs among them. Workers
  /// are handed up to max_outstanding more batches, which are never asked for.
  [[nodiscard]] std::size_t total_steps() const noexcept;
};

}  // namespace feedrate
