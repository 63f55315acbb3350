// The measuring protocol of one start of a loader: short epochs for what an epoch's start costs,
// then one long epoch whose first steps are discarded and whose others are the window.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/clock.h"
#include "loaders/loader.h"
#include "trainers/trainer.h"

namespace feedrate {

/// The marks t0 to t3 of measurement.md.
struct StepMarks {
  Nanos asked{};    ///< t0: before next()
  Nanos loaded{};   ///< t1: the batch is in host memory
  Nanos copied{};   ///< t2: the copy call returned
  Nanos trained{};  ///< t3: after the step
  std::size_t samples = 0;
  Nanos queued{};          ///< as in StepTiming
  Nanos launching{};       ///< as in StepTiming
  Nanos launched{};        ///< as in StepTiming
  bool ran_ahead = false;  ///< as in StepTiming
  std::size_t bytes = 0;
  BatchHistory history = {};  ///< of the batch

  void add(const StepTiming& timing) noexcept {
    copied = timing.copied;
    queued = timing.queued;
    launching = timing.launching;
    launched = timing.launched;
    ran_ahead = timing.ran_ahead;
    trained = timing.trained;
  }
};

struct EpochMarks {
  Nanos first_batch{};       ///< from start_epoch() to the first batch
  std::optional<Nanos> end;  ///< from asking for more after the last batch to the epoch's end
  Nanos begin{};             ///< start_epoch() is called
};

struct ProtocolOptions {
  std::size_t steps = 60;
  std::size_t warmup = 5;
  std::size_t short_epochs = 2;
  std::size_t num_workers = 0;
  std::size_t max_outstanding = 0;  ///< batches that the loader may have ready
  std::size_t sync_every = 1;       ///< of the trainer
  std::size_t device_prefetch = 0;  ///< of the trainer: steps that it owes when the window is over

  /// Discarded: batches come in bursts of num_workers, max_outstanding of them may be ready before
  /// the clock starts, and the host may run ahead of the device by kRunAhead steps; so the largest
  /// of warmup, 2 num_workers, max_outstanding and kRunAhead + 1.
  [[nodiscard]] std::size_t discarded_steps() const noexcept;
  /// Kept: whole rounds of num_workers and of sync_every, since what a step waits for differs
  /// within a round; at least twice max_outstanding, since how much of that is ready at the
  /// window's two ends is chance.
  [[nodiscard]] std::size_t kept_steps() const noexcept;
  /// Batches of a short epoch: one a worker.
  [[nodiscard]] std::size_t short_epoch_batches() const noexcept;
  /// All steps, those of the long epoch's first batch and of the short epochs among them. Workers
  /// are handed up to max_outstanding more batches, which are never asked for.
  [[nodiscard]] std::size_t total_steps() const noexcept;
};

struct Measurement {
  std::vector<EpochMarks> epochs;    ///< the first is of a fresh loader; the last is the long one
  std::vector<StepMarks> discarded;  ///< of the long epoch, all before the kept ones
  std::vector<StepMarks> kept;
  /// Of all steps, the kept ones last; empty without a device. Kernels of discarded steps may lie
  /// in the window, and those of kept steps behind it.
  std::vector<DeviceSpans> spans;
  std::size_t owed = 0;      ///< of these, the last ones, whose steps no kept step launched
  StageNanos stages;         ///< summed over the kept samples
  TokenCount tokens;         ///< summed over the kept batches
  double cpu_seconds = 0.0;  ///< user + system of the process and its workers, over the kept steps
  std::optional<double> data_readiness;
  std::vector<std::string> damaged;  ///< records of all steps that were replaced by zeros
};

/// Where a measurement stands, told on its thread. Each may be empty.
struct ProtocolEvents {
  std::function<void()> on_epoch = {};  ///< one is about to start
  /// The long epoch's workers run and its first step is done: those to be discarded come now, in
  /// which what begins here may take its time.
  std::function<void()> on_warm_up = {};
  std::function<void()> on_window_over = {};  ///< the device may still be at work
};

/// Throws what the loader and the trainer throw; Cancelled once `stop` is requested.
[[nodiscard]] Measurement measure(Loader& loader, Trainer& trainer, const Clock& clock,
                                  const ProtocolOptions& options, const std::stop_token& stop,
                                  const ProtocolEvents& events = {});

}  // namespace feedrate
