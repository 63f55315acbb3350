// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate {

/// In the order of knobs(), which is the order of the columns. A test compares the names.
enum class KnobId : std::uint8_t {
  num_workers,
  persistent_workers,
  pin_memory,
  non_blocking,
  prefetch_factor,
  drop_last,
  batch_size,
  format,
  variant,
  cache,
  hdf5_reads,
  batched_reads,
  requests_in_flight,
  staging,
  presampled,
  chunk,
  codec,
  decoder,
  padding,
  shuffle,
  shuffle_window,
  group_by_length,
  in_order,
  timeout,
  multiprocessing_context,
  forkserver_preload,
  worker_threads,
  transport,
  engine,
  environment,
  parent_ballast_bytes,
  emulate,
  copy_stream,
  device_prefetch,
  wire_dtype,
  normalize_on,
  transforms_on,
  loader,
  loader_factory,
  trainer,
  step_factory,
  step_ms,
  steps_ms,
  shapes,
  model,
  precision,
  cuda_graph,
  reference_batch,
  host_overhead_us,
  sync_every,
  device,
  ranks,
  ranks_per_node,
  affinity,
  all_reduce_bytes,
};

inline constexpr std::size_t kKnobs = static_cast<std::size_t>(KnobId::all_reduce_bytes) + 1;

}  // namespace feedrate
