// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace feedrate {

/// A knob, dense from 0. Code that asks for a knob's setting names it here; knobs() gives the
/// others the numbers that follow.
enum class KnobId : std::uint8_t {
  num_workers,
  pin_memory,
  non_blocking,
  drop_last,
  batch_size,
  format,
  hdf5_reads,
  batched_reads,
  requests_in_flight,
  staging,
  decoder,
  padding,
  shuffle,
  multiprocessing_context,
  forkserver_preload,
  engine,
  environment,
  parent_ballast_bytes,
  emulate,
  device_prefetch,
  loader,
  trainer,
  device,
  ranks,
  ranks_per_node,
  all_reduce_bytes,
  kOthers,
};

/// No more knobs than this: knobs() has at most as many rows.
inline constexpr std::size_t kMostKnobs = 64;

}  // namespace feedrate
