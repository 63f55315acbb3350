// SPDX-License-Identifier: Apache-2.0
// A discrete-event model of PyTorch's DataLoader and of the training loop that it feeds. It
// computes the time of a step with given settings in a fraction of a millisecond.
//
// With W workers and prefetch_factor pf, in order and with a core for each thread, it is
//
//   start_i  = max(E_{i-W·pf}, finish_{i-W})     task i is handed out when batch i-W·pf is returned
//   finish_i = start_i + p_i·slow(W)             one worker makes a whole batch
//   get_i    = max(finish_i, E_{i-1})
//   E_i      = get_i + h_i + Tc_i
//
// (the protocol: torch/utils/data/dataloader.py, _MultiProcessingDataLoaderIter: at most
// prefetch_factor·num_workers outstanding batches, task i on worker i mod W, one new task per
// returned batch). Threads that share cores all run at the same fraction of full speed (processor
// sharing): slow(W) is 1 up to the number of cores and grows beyond. The pin thread is one more
// serial server between the workers and the loop.
//
// Pure functions of plain numbers; any thread.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace feedrate {

/// Costs of a batch and of a worker: seconds on an undisturbed core unless stated otherwise.
struct BatchCosts {
  /// Measured times of batches, relative to their mean; one is drawn at random per batch.
  std::vector<double> shape{1.0};
  double inline_load = 0.0;      ///< reading, decoding, collating in the training thread
  double worker_load = 0.0;      ///< the same in a worker, with sending
  double cpu_share = 1.0;        ///< of both; the rest is waiting for storage
  double dispatch = 0.0;         ///< in the training thread, per batch of a worker
  double receive = 0.0;          ///< taking a batch from a worker, in the training or pin thread
  double pin = 0.0;              ///< in the pin thread
  double inline_pin = 0.0;       ///< pinning without workers, in the training thread
  double copy_pageable = 0.0;    ///< the copy call, from memory touched before
  double copy_fresh = 0.0;       ///< the same, of a worker's new batch
  double copy_pinned = 0.0;      ///< the copy engine: wall time
  double release = 0.0;          ///< freeing a worker's batch, with the mock trainer
  double host = 0.0;             ///< the host's own work per step
  double compute = 0.0;          ///< kernels per step: wall time
  double device_wait_cpu = 0.0;  ///< share of a core, waiting for the device; 1: spins
  double worker_start = 0.0;     ///< per worker, in the training thread
  double worker_stop = 0.0;      ///< per worker, in the training thread
  double first_task = 0.0;       ///< in a worker, before its first task
};

struct Cores {
  double count = std::numeric_limits<double>::infinity();
  /// The most batches that can be made concurrently at full speed, whatever limits them: storage,
  /// memory.
  double lanes = std::numeric_limits<double>::infinity();
};

/// Names and defaults as in PyTorch.
struct LoopSettings {
  std::size_t num_workers = 0;
  std::size_t prefetch_factor = 2;
  bool pin_memory = false;
  bool persistent_workers = false;
  bool in_order = true;
  bool non_blocking = false;  ///< REQUIRES: pin_memory
  bool side_stream = false;
  std::size_t device_prefetch = 0;
  std::size_t sync_every = 1;
  bool cached = false;   ///< the mock loader
  bool discard = false;  ///< the mock trainer

  friend auto operator<=>(const LoopSettings&, const LoopSettings&) = default;
};

struct EpochPlan {
  std::size_t batches = 0;      ///< at least 1
  std::size_t extra = 0;        ///< extra tasks of workers, never asked for
  std::size_t discarded = 0;    ///< steps before the window, less than `batches`
  double last_batch = 1.0;      ///< relative size of the last batch
  bool first_of_loader = true;  ///< starts workers despite persistent_workers
};

/// Means over the steps of the window, in seconds, unless stated otherwise.
struct ReplayedEpoch {
  double step_time = 0.0;
  double wait_time = 0.0;      ///< in next()
  double copy_time = 0.0;      ///< in the copy call
  double training_time = 0.0;  ///< after it
  double cpu_time = 0.0;       ///< of all threads
  double au = 0.0;             ///< compute time / wall time of the window
  double first_batch_time = 0.0;
  double epoch_time = 0.0;  ///< from iter() to the last step's end and the workers' stop
};

/// The copies that the host may be ahead, as in bench/trainers/trainer.h.
inline constexpr std::size_t kReplayRunAhead = 4;

/// The seed determines the batches, whatever the settings. REQUIRES: batches > 0, a shape, no
/// negative cost.
[[nodiscard]] ReplayedEpoch replay(const BatchCosts& costs, const Cores& cores,
                                   const LoopSettings& settings, const EpochPlan& plan,
                                   std::uint64_t seed = 0);

/// An epoch in the steady state, as bench/engines/protocol.h measures it: after the buffer of
/// num_workers·prefetch_factor batches is used up, whole rounds of num_workers, at least twice the
/// buffer, while workers get more tasks.
[[nodiscard]] EpochPlan steady_epoch(const LoopSettings& settings, std::size_t steps);

}  // namespace feedrate
