// SPDX-License-Identifier: Apache-2.0
// The measuring protocol of one start of a loader: short epochs that measure the start of an epoch,
// then one long epoch whose first steps are discarded and whose others are the window.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/plan/protocol_options.h"
#include "bench/trainers/trainer.h"
#include "core/clock.h"
#include "core/result.h"
#include "loaders/loader.h"

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
  BatchHistory history = {};

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
  Nanos begin{};             ///< when start_epoch() is called
  /// The training left the epoch before early, so workers first finish its batches: `first_batch`
  /// does not measure the start of an epoch.
  bool is_delayed = false;
};

struct Measurement {
  std::vector<EpochMarks> epochs;    ///< the first has a new loader; the last is the long one
  std::vector<StepMarks> discarded;  ///< steps of the long epoch before the kept ones
  std::vector<StepMarks> kept;
  /// One for each step, the kept ones last; empty without a device. Kernels of discarded steps may
  /// run in the window, and those of kept steps after it.
  std::vector<DeviceSpans> spans;
  std::size_t owed = 0;      ///< number of last `spans` that no kept step launched
  StageNanos stages;         ///< summed over the kept samples
  TokenCount tokens;         ///< summed over the kept batches
  double cpu_seconds = 0.0;  ///< user + system of the process and its workers, over the kept steps
  std::optional<double> data_readiness;
  std::vector<std::string> damaged;  ///< damaged records of all steps, replaced by zeros
};

/// Callbacks on the thread of measure(). Each may be empty.
struct ProtocolEvents {
  std::function<void()> on_epoch = {};  ///< an epoch is about to start
  /// The first step of the long epoch is done and the discarded ones follow, so a slow callback
  /// disturbs no kept step.
  std::function<void()> on_warm_up = {};
  std::function<void()> on_window_over = {};  ///< the device may still be busy
};

/// Throws what the loader and the trainer throw, and Cancelled once `stop` is requested.
[[nodiscard]] Measurement measure(Loader& loader, Trainer& trainer, const Clock& clock,
                                  const ProtocolOptions& options, const std::stop_token& stop,
                                  const ProtocolEvents& events = {});

/// The metrics of a measurement, as docs/columns.md defines them. Throws Error where the device was
/// busy for longer than there was time.
[[nodiscard]] Repeat summarize(const Measurement& measurement);

}  // namespace feedrate
