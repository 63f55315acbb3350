// SPDX-License-Identifier: Apache-2.0
// A discrete-event model of PyTorch's DataLoader and of the training loop that it feeds: what a
// step takes with given settings, computed in a fraction of a millisecond instead of measured.
//
// With W workers and prefetch_factor pf, in order and with a core for everybody, it is
//
//   start_i  = max(E_{i-W·pf}, finish_{i-W})     task i is handed out when batch i-W·pf is returned
//   finish_i = start_i + p_i·slow(W)             one worker makes a whole batch
//   get_i    = max(finish_i, E_{i-1})
//   E_i      = get_i + h_i + Tc_i
//
// (the protocol: torch/utils/data/dataloader.py, _MultiProcessingDataLoaderIter: at most
// prefetch_factor·num_workers batches outstanding, task i on worker i mod W, one new task for each
// batch that is returned). Where threads share cores, each runs at the same part of its speed
// (processor sharing): slow(W) is 1 up to the cores there are and grows from there on. The pin
// thread is one more serial server between the workers and the loop.
//
// Pure functions of plain numbers; any thread.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace feedrate {

/// What one batch, and one worker, cost: seconds of an undisturbed core unless said otherwise.
struct BatchCosts {
  /// Measured times of batches, relative to their mean; drawn at random, once a batch.
  std::vector<double> shape{1.0};
  double inline_load = 0.0;  ///< reading, decoding, collating in the training thread
  double worker_load = 0.0;  ///< the same in a worker, and sending the batch
  double cpu_share = 1.0;    ///< of both; the rest waits for storage
  double dispatch = 0.0;     ///< the training thread, for a batch of workers
  double receive = 0.0;      ///< the thread that takes a batch from a worker: it, or the pin thread
  double pin = 0.0;          ///< the pin thread
  double inline_pin = 0.0;   ///< pinning without workers, in the training thread
  double copy_pageable = 0.0;    ///< the copy call, from memory that was touched before
  double copy_fresh = 0.0;       ///< the same of a batch that just came from a worker
  double copy_pinned = 0.0;      ///< the copy engine: wall time
  double release = 0.0;          ///< the mock trainer, giving a worker's batch back
  double host = 0.0;             ///< the host's own work a step
  double compute = 0.0;          ///< the device's kernels a step: wall time
  double device_wait_cpu = 0.0;  ///< of a core, while the host waits for the device: 1 if it spins
  double worker_start = 0.0;     ///< a worker, in the training thread
  double worker_stop = 0.0;      ///< the same
  double first_task = 0.0;       ///< in a worker, before its first task
};

/// Where it runs.
struct Cores {
  double count = std::numeric_limits<double>::infinity();
  /// Batches that can be made at a time at full speed, whatever else limits them: storage, memory.
  double lanes = std::numeric_limits<double>::infinity();
};

/// The settings that the model knows; names and defaults as PyTorch's.
struct LoopSettings {
  std::size_t num_workers = 0;
  std::size_t prefetch_factor = 2;
  bool pin_memory = false;
  bool persistent_workers = false;
  bool in_order = true;
  bool non_blocking = false;  ///< REQUIRES: pin_memory; from pageable memory it means nothing
  bool side_stream = false;
  std::size_t device_prefetch = 0;
  std::size_t sync_every = 1;
  bool cached = false;   ///< the mock loader
  bool discard = false;  ///< the mock trainer

  friend auto operator<=>(const LoopSettings&, const LoopSettings&) = default;
};

/// The epoch that is replayed.
struct Course {
  std::size_t batches = 0;      ///< at least 1
  std::size_t unasked = 0;      ///< handed to workers behind these, and never asked for
  std::size_t discarded = 0;    ///< steps before the window, less than `batches`
  double last_batch = 1.0;      ///< size of the last one: below 1 where drop_last is false
  bool first_of_loader = true;  ///< workers are to be started whatever persistent_workers says
};

/// Means over the steps of the window, in seconds; whole epoch where said.
struct ReplayedEpoch {
  double step_time = 0.0;
  double wait_time = 0.0;      ///< in next()
  double copy_time = 0.0;      ///< in the copy call
  double training_time = 0.0;  ///< after it
  double cpu_time = 0.0;       ///< of all threads
  double au = 0.0;             ///< of the window: the device's compute time / wall time
  double first_batch_time = 0.0;
  double epoch_time = 0.0;  ///< from iter() to the last step's end and the workers' stop
};

/// How many copies the host runs ahead of: as bench/trainers/trainer.h has it.
inline constexpr std::size_t kReplayRunAhead = 4;

/// The same seed gives the same batches, whatever the settings. REQUIRES: course.batches > 0, a
/// shape, no negative cost.
[[nodiscard]] ReplayedEpoch replay(const BatchCosts& costs, const Cores& cores,
                                   const LoopSettings& settings, const Course& course,
                                   std::uint64_t seed = 0);

/// A course in the steady state, as bench/engines/protocol.h measures it: the buffer of
/// num_workers·prefetch_factor batches is used up, then whole rounds of num_workers, at least twice
/// as many as that buffer holds, while the workers are handed more.
[[nodiscard]] Course steady_course(const LoopSettings& settings, std::size_t steps);

}  // namespace feedrate
