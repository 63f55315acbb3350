// SPDX-License-Identifier: Apache-2.0
// What a cell takes at its peak, known before it runs. Plain values and pure functions; any thread.
//
// The model is an upper bound of what the loader's protocol allows: every batch that may be
// outstanding is there at the same time. What a dataset keeps in memory of its own, the device's
// context and the libraries' workspaces are not in it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/plan/cell_spec.h"

namespace feedrate {

/// What processes take before there is any batch, in bytes of host memory.
struct ProcessSizes {
  std::uint64_t parent = 0;  ///< the trainer's process
  std::uint64_t worker = 0;  ///< what each worker process adds to it
  std::size_t open_files = 0;
};

struct MemoryNeed {
  std::uint64_t host = 0;  ///< PSS of the process tree, all that follows but the device's included
  std::uint64_t shm = 0;   ///< in /dev/shm
  std::uint64_t pinned = 0;  ///< page-locked, in blocks of powers of two as PyTorch's allocator
  std::uint64_t device = 0;
  std::size_t descriptors = 0;  ///< of the process that holds most, the trainer's
};

/// Bytes of a sample as it crosses to the device, where the pipeline makes `sample_bytes` of it.
[[nodiscard]] std::size_t wire_bytes(const CellSpec& cell, std::size_t sample_bytes);

/// `sample_bytes` as in wire_bytes(). Each sample has a label of 8 bytes, a tensor of its own.
[[nodiscard]] MemoryNeed predict_memory(const CellSpec& cell, std::size_t sample_bytes,
                                        const ProcessSizes& processes);

/// What is available; empty if unknown or unlimited.
struct MemoryRoom {
  std::optional<std::uint64_t> host;  ///< for the process tree as a whole
  std::optional<std::uint64_t> shm;
  std::optional<std::size_t> descriptors;
};

/// Empty where it fits; else what is too large, both figures, and what would be right.
[[nodiscard]] std::string why_no_room(const MemoryNeed& need, const MemoryRoom& room);

}  // namespace feedrate
